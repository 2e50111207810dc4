import { existsSync, readdirSync } from 'node:fs';
import { findVulkan, missingVulkan } from './vulkan.js';

/** Drivers that compute on the CPU: Chromium's SwiftShader, and Mesa's lavapipe. */
function softwareDriver(): string | undefined {
  const mesa = '/usr/share/vulkan/icd.d';
  const lavapipe = existsSync(mesa) ? readdirSync(mesa).find((name) => name.startsWith('lvp_icd')) : undefined;
  return ['/usr/lib/chromium/vk_swiftshader_icd.json', ...(lavapipe ? [`${mesa}/${lavapipe}`] : [])].find((path) =>
    existsSync(path),
  );
}

/**
 * Makes this process use a driver that computes on the CPU, unless one is named, so that every machine tests the same. Says why
 * WebGPU cannot be tested here, or undefined.
 */
export function useSoftwareVulkan(): string | undefined {
  process.env.VK_ICD_FILENAMES ??= softwareDriver();
  return missingVulkan(findVulkan())?.found;
}
