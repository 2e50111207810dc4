import { existsSync } from 'node:fs';
import { findVulkan, missingVulkan } from './vulkan.js';

/** Chromium's software driver. Debian 12's lavapipe 22.3 lacks features that WebGPU needs. */
const swiftShader = '/usr/lib/chromium/vk_swiftshader_icd.json';

export function useSoftwareVulkan(): string | undefined {
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES } = process.env;
  if (!VK_DRIVER_FILES && !VK_ICD_FILENAMES) {
    if (!existsSync(swiftShader))
      return 'there is no software Vulkan driver: it comes with Debian’s chromium-headless-shell';
    process.env.VK_ICD_FILENAMES = swiftShader;
  }
  return missingVulkan(findVulkan())?.problem;
}
