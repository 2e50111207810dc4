import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  allChecks,
  checkAdb,
  checkBenchmarks,
  checkDesktop,
  checkFfmpeg,
  checkJupyter,
  checkFonts,
  checkIsolation,
  checkNode,
  checkPodman,
  checkPyautogui,
  checkVm,
  checkVulkan,
} from './doctor.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-doctor-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test.each([
  ['20.18.3', false],
  ['20.19.0', true],
  ['24.1.0', true],
])('Node %s is good enough: %s', (version, ok) => {
  expect(checkNode(version)).toMatchObject({ ok, finding: `Node ${version}` });
});

test('missing fonts are named with the packages that bring them', async () => {
  await mkdir(join(directory, 'truetype'));
  await writeFile(join(directory, 'truetype', 'DejaVuSans.ttf'), '');
  expect(await checkFonts([directory, join(directory, 'not-there')])).toMatchObject({
    ok: false,
    finding: 'missing: Liberation',
    debian: ['fonts-liberation'],
  });
});

test.skipIf(process.platform !== 'linux')(
  'missing programs for virtual machines are reported, but not installed',
  async () => {
    const [without] = await checkVm([{ name: 'qemu-img', debian: 'qemu-utils' }]);
    expect(without).toMatchObject({
      ok: true,
      finding: 'missing: qemu-img',
      fix: expect.stringContaining('qemu-utils'),
    });
    expect(without).not.toHaveProperty('debian');
    const why = 'a test guest did not boot within 5000 ms';
    const [slow] = await checkVm([], () => Promise.resolve({ kind: 'tcg', why }));
    expect(slow).toMatchObject({ ok: true, finding: expect.stringContaining(`without KVM: ${why}`), fix: '' });
    const [fast] = await checkVm([], () => Promise.resolve({ kind: 'kvm' }));
    expect(fast!.finding).toMatch(/booted on KVM/);
  },
);

test('a machine without adb passes, with a hint what to install', () => {
  expect(checkAdb(false)).toMatchObject({ name: 'adb', ok: true, debian: ['adb'] });
  expect(checkAdb(true)).toMatchObject({ ok: true, fix: '' });
});

test('official benchmarks that are not installed pass', async () => {
  const none = await checkBenchmarks(
    () => false,
    () => Promise.resolve(undefined),
  );
  expect(none).toMatchObject({ ok: true, finding: 'none installed' });
  expect(none.fix).toMatch(
    /pip install uv, then gyre bench prepare browsergym-miniwob, gyre bench prepare mobilegym, /,
  );
  const installed = await checkBenchmarks(
    (name) => name !== 'browsergym-miniwob',
    () => Promise.resolve('uv 1'),
  );
  expect(installed.finding).toMatch(/^installed: mobilegym, osworld, /);
  expect(installed.fix).toBe('To evaluate on official benchmarks: gyre bench prepare browsergym-miniwob.');
  expect(await checkBenchmarks(() => true)).toMatchObject({ fix: '' });
});

test('a Python without ipykernel passes', async () => {
  const missing = await checkJupyter(() => Promise.reject(new Error('No module named ipykernel')));
  expect(missing).toMatchObject({ name: 'Jupyter', ok: true, debian: ['python3-ipykernel', 'python3-jupyter-client'] });
  expect(await checkJupyter(() => Promise.resolve())).toMatchObject({ ok: true, fix: '' });
});

test('a machine without pyautogui passes, with a hint what to install', async () => {
  const missing = await checkPyautogui(() => Promise.reject(new Error('AssertionError')));
  expect(missing).toMatchObject({ name: 'pyautogui', ok: true, debian: expect.arrayContaining(['xclip']) });
  expect(await checkPyautogui(() => Promise.resolve())).toMatchObject({ ok: true, fix: '' });
});

test('a machine without ffmpeg passes, with a hint what to install', () => {
  const missing = () => {
    throw new GyreError('missing', 'ffmpeg is not installed');
  };
  expect(checkFfmpeg(missing)).toMatchObject({ name: 'ffmpeg', ok: true, debian: ['ffmpeg'] });
  expect(checkFfmpeg(() => '/usr/bin/ffmpeg')).toMatchObject({ ok: true, finding: '/usr/bin/ffmpeg', fix: '' });
});

test.skipIf(process.platform !== 'linux')('a machine without Vulkan passes, with a hint what to install', async () => {
  const [vulkan] = await checkVulkan(() => ({ drivers: [], devices: [] }));
  expect(vulkan).toMatchObject({ name: 'vulkan', ok: true, debian: ['libvulkan1'] });
  expect(vulkan?.fix).toContain('libvulkan1');
  const [driverless] = await checkVulkan(() => ({ loader: '/lib/libvulkan.so.1', drivers: [], devices: [] }));
  expect(driverless).toMatchObject({ ok: true, finding: expect.stringContaining('no Vulkan driver') as string });
  expect(driverless?.debian).toBeUndefined();
});

test('isolation is reported with its limits and with what is missing', async () => {
  const sessionHolds = { memoryBytes: 'session', cpus: 'session', processes: 'session', diskBytes: 'session' } as const;
  expect(
    await checkIsolation(async () => ({ kind: 'bubblewrap', holds: sessionHolds, filtered: true, apart: true })),
  ).toEqual({
    name: 'isolation',
    ok: true,
    finding: 'bubblewrap; all limits are enforced',
    fix: '',
  });
  const some = { ...sessionHolds, memoryBytes: 'each', cpus: 'none' } as const;
  const { finding } = await checkIsolation(async () => ({
    kind: 'bubblewrap',
    holds: some,
    filtered: true,
    apart: true,
  }));
  expect(finding).toContain('memory per process only, cpu unlimited');
  const none = { kind: 'none', missing: true, reason: 'no bwrap', fix: 'install it' } as const;
  expect(await checkIsolation(async () => none)).toMatchObject({ ok: true, debian: ['bubblewrap', 'util-linux'] });
  if (process.platform !== 'linux') return;
  expect(
    await checkPodman(async () => ({ kind: 'podman', holds: sessionHolds, filtered: true, apart: true })),
  ).toMatchObject([{ name: 'podman', ok: true, finding: 'podman; all limits are enforced', fix: '' }]);
  const [without] = await checkPodman(async () => ({ ...none, reason: 'no podman' }));
  expect(without).toEqual({
    name: 'podman',
    ok: true,
    finding: 'none: no podman',
    fix: 'For isolation with podman, install it.',
  });
});

test.skipIf(process.platform !== 'linux')('a machine without a desktop passes, with a hint what to install', () => {
  const [desktop] = checkDesktop(() => [{ name: 'Xvfb', debian: 'xvfb' }]);
  expect(desktop).toMatchObject({ name: 'desktop', ok: true, finding: 'missing: Xvfb', debian: ['xvfb'] });
  expect(desktop?.fix).toContain('apt install xvfb');
  expect(checkDesktop(() => [])[0]?.debian).toBeUndefined();
});

test('a directory that cannot be written is a failed check that names it', async () => {
  await writeFile(join(directory, 'file'), '');
  const checks = await allChecks(join(directory, 'file', 'runs'));
  const writing = checks.find(({ name }) => name === 'writing');
  expect(writing).toMatchObject({ ok: false, finding: expect.stringContaining(join(directory, 'file')) as string });
  expect(writing?.fix).toContain('--directory');
});

test('a check leaves nothing behind', async () => {
  const checks = await allChecks(join(directory, 'runs'));
  expect(checks.find(({ name }) => name === 'writing')).toMatchObject({ ok: true });
  await expect(rm(join(directory, 'runs'))).rejects.toThrow(/ENOENT/);
});
