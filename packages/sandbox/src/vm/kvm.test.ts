import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { guestImage, heard, whyNot } from './guest.test.support.js';
import { bootDisk, bootOn, kvmDevice, probeKvm } from './kvm.js';
import { Vm } from './vm.js';

describe.skipIf(whyNot !== '')(`the probe of KVM${whyNot}`, { timeout: 60_000 }, () => {
  it('has a guest that boots, counts and answers on any processor that works', async () => {
    const enclosure = await BareEnclosure.create();
    expect(await bootOn(enclosure, 'tcg', 30_000)).toEqual({ code: 85, said: '', late: false });
    await enclosure.close();
  });

  it('ends a guest that does not answer in time', async () => {
    const enclosure = await BareEnclosure.create();
    expect(await bootOn(enclosure, 'tcg', 1)).toMatchObject({ late: true });
    await enclosure.close();
  });

  it('runs once: a machine uses KVM only if the test guest booted on it', async () => {
    const enclosure = await BareEnclosure.create();
    const probed = await probeKvm(enclosure);
    expect(await probeKvm(enclosure)).toEqual(probed);
    if (!existsSync(kvmDevice)) expect(probed).toMatchObject({ kind: 'tcg', why: `there is no ${kvmDevice}` });
    const image = await guestImage();
    const vm = await Vm.start(enclosure, { image: image.path, memoryBytes: 2 ** 25 });
    expect(vm.acceleration).toEqual(probed);
    expect(await heard(vm, /R/)).toBe('R');
    await vm.close();
    if (probed.kind === 'tcg') {
      await expect(Vm.start(enclosure, { image: image.path, acceleration: 'kvm' })).rejects.toMatchObject({
        code: 'missing',
        detail: { field: 'acceleration' },
      });
    }
    await image.remove();
    await enclosure.close();
  });
});

describe('a disk with a boot sector', () => {
  it('has the signature of one, and room for no more', () => {
    const disk = bootDisk('f4 eb fd');
    expect(disk.subarray(0, 4)).toEqual(Buffer.from([0xf4, 0xeb, 0xfd, 0]));
    expect(disk.subarray(510, 513)).toEqual(Buffer.from([0x55, 0xaa, 0]));
    expect(() => bootDisk('00'.repeat(511))).toThrow(RangeError);
  });
});
