import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeVulkan, findVulkan, isSoftwareVulkan, missingVulkan, type VulkanPlaces } from './vulkan.js';

let folder: string;
let places: VulkanPlaces;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-vulkan-'));
  for (const name of ['lib', 'icd.d', 'dev']) await mkdir(join(folder, name));
  places = {
    libraries: [join(folder, 'not-there'), join(folder, 'lib')],
    manifests: [join(folder, 'icd.d'), join(folder, 'not-there')],
    devices: [join(folder, 'dev')],
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const put = (...path: string[]) => writeFile(join(folder, ...path), '');
const onLinux = it.skipIf(process.platform !== 'linux');

onLinux('names what is missing, from the loader to the driver, and what computes in the end', async () => {
  expect(missingVulkan(findVulkan(places))).toMatchObject({
    problem: 'libvulkan.so.1 is not installed',
    fix: expect.stringContaining('apt install libvulkan1') as string,
  });
  await put('lib', 'libvulkan.so.1');
  expect(missingVulkan(findVulkan(places))?.problem).toBe('libvulkan is installed, but no Vulkan driver');
  await put('dev', 'renderD128');
  expect(missingVulkan(findVulkan(places))?.problem).toContain(
    `no Vulkan driver for ${join(folder, 'dev', 'renderD128')}`,
  );
  await put('icd.d', 'lvp_icd.x86_64.json');
  expect(missingVulkan(findVulkan(places))).toBeUndefined();
  expect(describeVulkan(findVulkan(places))).toBe('software rendering on the CPU (lvp_icd.x86_64)');
  await put('icd.d', 'radeon_icd.x86_64.json');
  expect(isSoftwareVulkan(findVulkan(places))).toBe(false);
});

it('takes the drivers that are named before those in the folders, and every driver as software without a device', async () => {
  await put('vk_swiftshader_icd.json');
  const named = join(folder, 'vk_swiftshader_icd.json');
  expect(findVulkan({ ...places, named }).drivers).toEqual([named]);
  expect(findVulkan({ ...places, named: '/not/there.json' }).drivers).toEqual([]);
  expect(isSoftwareVulkan({ drivers: ['nvidia_icd.json'], devices: [] })).toBe(true);
});
