import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootDisk } from './kvm.js';
import { missingForVm } from './requirement.js';
import type { Vm, VmOptions } from './vm.js';

const missing = missingForVm();

/** Empty if tests with a real guest can run here. */
export const whyNot =
  process.platform !== 'linux'
    ? ' (needs Linux)'
    : missing.length === 0
      ? ''
      : ` (left out: apt-get install ${missing.map(({ debian }) => debian).join(' ')})`;

/**
 * Boots in half a second, shows a black 320 x 200 screen, prints R on the serial port, and then
 * - echoes each typed character to serial port and screen;
 * - prints the VMware mouse as `\nBBBBXXXXYYYYZZZZ.` in hexadecimal (buttons, position in 0..ffff, wheel), and draws a
 * dot: white with a button held, else red;
 * - shuts down at F2, panics (pvpanic) at F3, writes its disk's second sector and prints W (E on failure) at F4, hangs
 * at F5.
 */
const bootSector = [
  '31 c0', // xor %ax,%ax
  '8e d8', // mov %ax,%ds
  '8e d0', // mov %ax,%ss
  'bc 00 7c', // mov $0x7c00,%sp
  '88 16 2b 7d', // mov %dl,disk
  'b8 13 00', // mov $0x13,%ax     320 x 200, 256 colours
  'cd 10', // int $0x10
  '68 00 a0', // push $0xa000
  '07', // pop %es
  '66 bb 52 45 41 45', // mov $0x45414552,%ebx     read the pointer's id
  'e8 bd 00', // call mouse_command
  '66 bb 52 41 42 53', // mov $0x53424152,%ebx     absolute positions
  'e8 b4 00', // call mouse_command
  '66 bb 01 00 00 00', // mov $1,%ebx
  'e8 b0 00', // call mouse_data
  'b0 52', // mov $'R',%al
  'e8 95 00', // call say
  'b4 01', // again: mov $1,%ah     key?
  'cd 16', // int $0x16
  '74 2a', // jz no_key
  '30 e4', // xor %ah,%ah
  'cd 16', // int $0x16
  '80 fc 3c', // cmp $0x3c,%ah     F2
  '0f 84 ad 00', // je power_off
  '80 fc 3d', // cmp $0x3d,%ah     F3
  '0f 84 b0 00', // je panic
  '80 fc 3e', // cmp $0x3e,%ah     F4
  '0f 84 b2 00', // je write
  '80 fc 3f', // cmp $0x3f,%ah     F5
  '0f 84 cd 00', // je stop
  'e8 6c 00', // call say
  'b4 0e', // mov $0x0e,%ah     echo
  'bb 0f 00', // mov $15,%bx
  'cd 10', // int $0x10
  'b9 28 00', // no_key: mov $40,%cx     mouse words?
  'e8 78 00', // call backdoor
  '83 f8 04', // cmp $4,%ax
  '72 c5', // jb again
  '66 bb 04 00 00 00', // mov $4,%ebx
  'e8 67 00', // call mouse_data
  '52', // push %dx     wheel
  '51', // push %cx     y
  '53', // push %bx     x
  '50', // push %ax     buttons
  '89 c8', // mov %cx,%ax
  'ba c8 00', // mov $200,%dx
  'f7 e2', // mul %dx
  '69 fa 40 01', // imul $320,%dx,%di
  '89 d8', // mov %bx,%ax
  'ba 40 01', // mov $320,%dx
  'f7 e2', // mul %dx
  '01 d7', // add %dx,%di
  '58', // pop %ax
  '50', // push %ax
  '24 38', // and $0x38,%al     any button
  'b4 0c', // mov $12,%ah     red
  '74 02', // jz plain
  'b4 0f', // mov $15,%ah     white
  '88 e0', // plain: mov %ah,%al
  'aa', // stosb
  'b0 0a', // mov $'\n',%al
  'e8 27 00', // call say
  'b9 04 00', // mov $4,%cx
  '5a', // each: pop %dx
  '51', // push %cx
  'e8 0a 00', // call hex
  '59', // pop %cx
  'e2 f8', // loop each
  'b0 2e', // mov $'.',%al
  'e8 17 00', // call say
  'eb 80', // jmp again
  'b9 04 00', // hex: mov $4,%cx     %dx as four digits
  'c1 c2 04', // 1: rol $4,%dx
  '88 d0', // mov %dl,%al
  '24 0f', // and $15,%al
  '3c 0a', // cmp $10,%al
  '1c 69', // sbb $0x69,%al
  '2f', // das
  'e8 03 00', // call say
  'e2 ef', // loop 1b
  'c3', // ret
  '52', // say: push %dx     %al to the serial port
  '50', // push %ax
  'ba fd 03', // mov $0x3fd,%dx
  'ec', // 1: in %dx,%al
  'a8 20', // test $0x20,%al
  '74 fb', // jz 1b
  '58', // pop %ax
  'ba f8 03', // mov $0x3f8,%dx
  'ee', // out %al,%dx
  '5a', // pop %dx
  'c3', // ret
  'b9 29 00', // mouse_command: mov $41,%cx
  'eb 03', // jmp backdoor
  'b9 27 00', // mouse_data: mov $39,%cx
  '66 b8 68 58 4d 56', // backdoor: mov $0x564d5868,%eax
  '66 0f b7 c9', // movzx %cx,%ecx
  'ba 58 56', // mov $0x5658,%dx
  '66 ed', // in %dx,%eax
  'c3', // ret
  'ba 04 06', // power_off: mov $0x604,%dx
  'b8 00 20', // mov $0x2000,%ax
  'ef', // out %ax,%dx
  'e9 38 ff', // jmp again
  'ba 05 05', // panic: mov $0x505,%dx
  'b0 01', // mov $1,%al
  'ee', // out %al,%dx
  'e9 2f ff', // jmp again
  '06', // write: push %es
  '1e', // push %ds
  '07', // pop %es
  'b8 01 03', // mov $0x0301,%ax
  'b9 02 00', // mov $0x0002,%cx
  'ba 80 00', // mov $0x0080,%dx
  '8a 16 2b 7d', // mov disk,%dl
  'bb 00 7c', // mov $0x7c00,%bx
  'cd 13', // int $0x13
  '07', // pop %es
  'b0 57', // mov $'W',%al
  '73 02', // jnc 1f
  'b0 45', // mov $'E',%al
  'e8 a5 ff', // 1: call say
  'e9 0d ff', // jmp again
  'fa', // stop: cli
  'f4', // hlt
  '00', // disk: .byte 0
].join(' ');

/** Writes that guest to a private disk file. */
export async function guestImage(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-guest-'));
  const path = join(folder, 'disk.img');
  await writeFile(path, bootDisk(bootSector), { mode: 0o600 });
  return { path, remove: () => rm(folder, { recursive: true }) };
}

/** The same processor everywhere. */
export const plain = { acceleration: 'tcg', memoryBytes: 2 ** 25 } as const satisfies Partial<VmOptions>;

/** Waits for matching output; returns all since the last call. */
export async function heard(vm: Pick<Vm, 'serial'>, fits: RegExp, boundMs = 30_000): Promise<string> {
  let output = '';
  for (const start = performance.now(); !fits.test(output);) {
    if (performance.now() - start > boundMs) throw new Error(`the guest wrote ${JSON.stringify(output)}, not ${fits}`);
    output += await vm.serial();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return output;
}
