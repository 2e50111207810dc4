import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { GyreError } from '@gyre/protocol';

export interface Vulkan {
  loader?: string;
  drivers: string[];
  /** Without a GPU device file, Vulkan computes on the CPU. */
  devices: string[];
}

export interface VulkanPlaces {
  libraries: readonly string[];
  manifests: readonly string[];
  devices: readonly string[];
  named?: string | undefined;
}

function defaultPlaces(env: NodeJS.ProcessEnv): VulkanPlaces {
  const architecture = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  return {
    libraries: [
      ...(env.LD_LIBRARY_PATH ?? '').split(delimiter).filter(Boolean),
      `/usr/lib/${architecture}-linux-gnu`,
      `/lib/${architecture}-linux-gnu`,
      ...['/usr/lib64', '/usr/lib', '/usr/local/lib', '/lib64', '/lib'],
    ],
    manifests: [
      '/etc/vulkan/icd.d',
      '/usr/local/share/vulkan/icd.d',
      '/usr/share/vulkan/icd.d',
      join(homedir(), '.local/share/vulkan/icd.d'),
    ],
    devices: ['/dev', '/dev/dri'],
    // Loaders before 1.3.207 read only the second name.
    named: env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES,
  };
}

export function findVulkan(places: VulkanPlaces = defaultPlaces(process.env)): Vulkan {
  const filesOf = (folder: string) => {
    try {
      return readdirSync(folder).map((name) => join(folder, name));
    } catch {
      return [];
    }
  };
  const loader = places.libraries.map((folder) => join(folder, 'libvulkan.so.1')).find((path) => existsSync(path));
  const named = places.named?.split(delimiter).filter((path) => existsSync(path));
  return {
    ...(loader === undefined ? {} : { loader }),
    drivers: named ?? places.manifests.flatMap(filesOf).filter((path) => path.endsWith('.json')),
    devices: places.devices.flatMap(filesOf).filter((path) => /\/(renderD\d+|nvidia\d+|dxg)$/.test(path)),
  };
}

export function isSoftwareVulkan({ drivers, devices }: Vulkan): boolean {
  return devices.length === 0 || drivers.every((path) => /swiftshader|lvp|lavapipe/i.test(basename(path)));
}

export function describeVulkan(vulkan: Vulkan): string {
  const names = vulkan.drivers.map((path) => basename(path, '.json')).join(', ');
  return isSoftwareVulkan(vulkan) ? `software rendering on the CPU (${names})` : `GPU (${names})`;
}

export function missingVulkan({ loader, drivers, devices }: Vulkan): { problem: string; fix: string } | undefined {
  if (process.platform !== 'linux') return undefined;
  if (!loader) {
    return {
      problem: 'libvulkan.so.1 is not installed',
      fix: 'install the Vulkan loader (Debian: apt install libvulkan1) and your GPU driver',
    };
  }
  if (drivers.length > 0) return undefined;
  return {
    problem: `libvulkan is installed, but no Vulkan driver${devices.length > 0 ? ` for ${devices.join(', ')}` : ''}`,
    fix:
      "install your GPU's driver (NVIDIA: its own; AMD and Intel: mesa-vulkan-drivers), or, to try it on " +
      "the CPU, use Chromium's driver: VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json",
  };
}

export function withoutAdapter(cause: unknown): GyreError {
  const vulkan = findVulkan();
  const missing = missingVulkan(vulkan) ?? {
    problem: `the drivers offer no adapter${vulkan.drivers.length > 0 ? `: ${vulkan.drivers.join(', ')}` : ''}`,
    // Dawn accepts no software adapter of Mesa 22.3 (Debian 12).
    fix: 'install a newer driver, and give this process access to the device files, such as /dev/dri/renderD128; run `vulkaninfo --summary` for details',
  };
  return new GyreError('missing', `WebGPU is not available: ${missing.problem}`, {
    field: 'backend',
    fix: `${missing.fix}; or use the backend cpu`,
    cause,
  });
}
