import { expect, test } from 'vitest';
import { machineArguments, type MachineTerms } from './arguments.js';

const terms: MachineTerms = {
  image: { format: 'qcow2' },
  overlay: '/home/agent/.vm-x/a,b.qcow2',
  accelerated: false,
  memoryBytes: 2 ** 29 + 1,
  cpus: 2,
  size: { width: 800, height: 600 },
  connected: false,
};
const line = (more: Partial<MachineTerms> = {}) => machineArguments({ ...terms, ...more }).join(' ');

test('a machine has the requested hardware', () => {
  expect(line()).toContain('-m 512M -smp 2 -accel tcg,');
  expect(line()).toContain('VGA,edid=on,xres=800,yres=600');
  expect(line()).toContain('"filename":"/home/agent/.vm-x/a,b.qcow2"');
  expect(line({ accelerated: true })).toContain('-accel kvm -cpu host');
});

test('a machine has neither network nor VNC unless requested', () => {
  expect(line()).toContain('restrict=on');
  expect(line()).not.toContain('-vnc');
  expect(line({ connected: true })).toContain('restrict=off');
  expect(line({ vnc: 5_907 })).toContain('-vnc 127.0.0.1:7,password=on');
  expect(line({ vnc: '/home/a,b/vnc' })).toContain('-vnc unix:/home/a,,b/vnc,password=on');
});

test('the image is only read, and leads to no other file', () => {
  const [, image] = machineArguments(terms).filter((_, index, all) => all[index - 1] === '-blockdev');
  expect(JSON.parse(image!)).toMatchObject({ driver: 'qcow2', 'read-only': true, backing: null });
});
