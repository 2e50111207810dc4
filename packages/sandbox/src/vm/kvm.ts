import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { createEnclosure } from '../isolation/createEnclosure.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { sandboxFlags } from './arguments.js';
import { boundToStdin } from './boundToStdin.js';
import { openUnnamedFile } from './unnamedFile.js';
import { qemu } from './requirement.js';

export const kvmDevice = '/dev/kvm';

/** TCG is at least ten times slower. */
export type VmAcceleration =
  { readonly kind: 'kvm' } | { readonly kind: 'tcg'; readonly why: string; readonly fix?: string };

/** Usually tenths of a second, mostly in the BIOS. */
const boundMs = 5_000;

const answer = 0x2a;
const answered = (answer << 1) | 1;

/**
 * Enters 64-bit mode with paging, as every system does, and counts to ten million: some hosts' KVM interprets each
 * instruction, too slow to boot any system.
 */
const bootSector = [
  'fa', // cli
  '31 c0', // xor %ax,%ax
  '8e d8', // mov %ax,%ds
  '8e c0', // mov %ax,%es
  '8e d0', // mov %ax,%ss
  'bc 00 7c', // mov $0x7c00,%sp
  'fc', // cld
  'bf 00 10', // mov $0x1000,%di     page tables at 0x1000, cleared
  'b9 00 18', // mov $0x1800,%cx
  'f3 ab', // rep stosw
  'c7 06 00 10 03 20', // movw $0x2003,0x1000     identity-maps the first 2 MiB
  'c7 06 00 20 03 30', // movw $0x3003,0x2000
  'c7 06 00 30 83 00', // movw $0x0083,0x3000
  '66 b8 20 00 00 00', // mov $0x20,%eax     PAE
  '0f 22 e0', // mov %eax,%cr4
  '66 b8 00 10 00 00', // mov $0x1000,%eax
  '0f 22 d8', // mov %eax,%cr3
  '66 b9 80 00 00 c0', // mov $0xc0000080,%ecx     EFER.LME
  '0f 32', // rdmsr
  '66 0d 00 01 00 00', // or $0x100,%eax
  '0f 30', // wrmsr
  '66 0f 01 16 80 7c', // lgdtl gdtr
  '66 b8 11 00 00 80', // mov $0x80000011,%eax     paging and protection
  '0f 22 c0', // mov %eax,%cr0
  'ea 5d 7c 08 00', // ljmp $8,$long
  'b9 80 96 98 00', // long: mov $10000000,%ecx
  'ff c9', // 1: dec %ecx
  '75 fc', // jnz 1b
  `b0 ${answer.toString(16)}`, // mov $answer,%al
  'e6 f4', // out %al,$0xf4
  'f4', // 2: hlt
  'eb fd', // jmp 2b
  '0f 1f 00', // .balign 8
  '00 00 00 00 00 00 00 00 00 00 00 00 00 9a 20 00', // gdt: .quad 0, 0x00209a0000000000
  '0f 00 70 7c 00 00', // gdtr: .word 15; .long gdt
].join(' ');

/** Pads to the size that the BIOS requires. */
export function bootDisk(code: string): Buffer {
  const disk = Buffer.alloc(2 ** 20);
  const bytes = Buffer.from(code.replaceAll(' ', ''), 'hex');
  if (bytes.length > 510) throw new RangeError(`a boot sector has 510 bytes for code, not ${bytes.length}`);
  bytes.copy(disk);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}

/** Constant for this process. */
const booted = new Map<Enclosure['kind'], Promise<VmAcceleration>>();

/** Probes once whether guests boot on KVM. Never throws. */
export async function probeKvm(enclosure: Enclosure): Promise<VmAcceleration> {
  if (!existsSync(kvmDevice)) return { kind: 'tcg', why: `there is no ${kvmDevice}` };
  if (!(await isReachable(enclosure))) {
    const fix = `allow it: chmod 666 ${kvmDevice}, or, if gyre does not run as root, add its user to the group of ${kvmDevice}`;
    return { kind: 'tcg', why: `programs of sessions cannot use ${kvmDevice}`, fix };
  }
  let boot = booted.get(enclosure.kind);
  if (!boot) booted.set(enclosure.kind, (boot = bootOnKvm(enclosure)));
  return boot;
}

/** Never throws. */
export async function probeVmAcceleration(): Promise<VmAcceleration> {
  const enclosure = await createEnclosure({ devices: [kvmDevice] }).catch(() => BareEnclosure.create());
  try {
    return await probeKvm(enclosure);
  } finally {
    await enclosure.close();
  }
}

async function bootOnKvm(enclosure: Enclosure): Promise<VmAcceleration> {
  try {
    const { code, output, late } = await bootOn(enclosure, 'kvm', boundMs);
    if (code === answered) return { kind: 'kvm' };
    return { kind: 'tcg', why: late ? `a test guest did not boot within ${boundMs} ms` : output };
  } catch (error) {
    return { kind: 'tcg', why: String(error) };
  }
}

async function isReachable(enclosure: Enclosure): Promise<boolean> {
  const { file, args, env, cwd } = enclosure.command('sh', ['-c', '[ -r "$1" ] && [ -w "$1" ]', 'gyre', kvmDevice], {
    as: 'system',
  });
  const child = spawn(file, [...args], { env: { ...env }, cwd, stdio: 'ignore' });
  return (await ending(child).catch(() => null)) === 0;
}

function ending(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** `output` is QEMU's last line. */
export async function bootOn(
  enclosure: Enclosure,
  accelerator: 'kvm' | 'tcg',
  limitMs: number,
): Promise<{ readonly code: number | null; readonly output: string; readonly late: boolean }> {
  const disk = await openUnnamedFile('gyre-boot', bootDisk(bootSector));
  try {
    const guest = [
      ...['-nodefaults', '-no-user-config', '-display', 'none', ...sandboxFlags],
      ...['-accel', accelerator, '-cpu', accelerator === 'kvm' ? 'host' : 'max'],
      ...['-machine', 'q35,smm=off', '-m', '32M', '-device', 'isa-debug-exit,iobase=0xf4,iosize=1'],
      ...['-add-fd', 'fd=3,set=1', '-blockdev', 'driver=file,node-name=disk,filename=/dev/fdset/1'],
      ...['-device', 'virtio-blk-pci,drive=disk,bootindex=0'],
    ];
    const { file, args, env, cwd } = enclosure.command(...boundToStdin(qemu.name, guest), { as: 'system' });
    const child = spawn(file, [...args], { env: { ...env }, cwd, stdio: ['pipe', 'ignore', 'pipe', disk.fd] });
    let lastLine = '';
    child.stderr!.on('data', (data: Buffer) => (lastLine = (lastLine + data.toString()).slice(-2_000)));
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.stdin!.destroy();
    }, limitMs);
    const code = await ending(child).finally(() => clearTimeout(timer));
    // The shell reports killed children on its own line.
    return { code, output: lastLine.split('\n').findLast((line) => line.startsWith(qemu.name)) ?? '', late };
  } finally {
    await disk.close();
  }
}
