import type { Size } from '@gyre/protocol';
import type { BaseImage } from './image.js';

export const descriptor = { image: 3, screen: 4, qmp: 5 } as const;

/** Block node of the guest's disk: an overlay over the image. */
export const diskNode = 'disk';

/** Ring buffer of the guest's serial port; its size in bytes is a power of 2. */
export const serialBuffer = 'serial';
export const serialBytes = 2 ** 16;

/** Cache of translated code, in MiB; QEMU's default is up to 1 GiB. */
const translatedMiB = 256;

export const firstVncPort = 5_900;

export interface MachineTerms {
  readonly image: Pick<BaseImage, 'format'>;
  /** Path of the overlay as QEMU sees it. */
  readonly overlay: string;
  readonly accelerated: boolean;
  readonly memoryBytes: number;
  readonly cpus: number;
  /** Preferred screen size that the guest is told. */
  readonly size: Size;
  readonly connected: boolean;
  /** A port of the loopback, or a socket's path as QEMU sees it. */
  readonly vnc?: number | string;
}

/** QEMU's own seccomp filter: no programs, no other rights. */
export const tame = ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'];

/**
 * Returns the arguments of qemu-system-x86_64: a PC whose devices every system has drivers for. A plain VGA card,
 * because others draw the pointer outside of the picture.
 */
export function machineArguments(terms: MachineTerms): string[] {
  const { image, overlay, accelerated, memoryBytes, cpus, size, connected, vnc } = terms;
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none', ...tame],
    // No firmware here needs system management mode, and BIOS calls in it hang QEMU 7.2 without KVM.
    ...['-machine', 'q35,smm=off', '-m', `${Math.floor(memoryBytes / 2 ** 20)}M`, '-smp', String(cpus)],
    ...(accelerated
      ? ['-accel', 'kvm', '-cpu', 'host']
      : ['-accel', `tcg,thread=multi,tb-size=${translatedMiB}`, '-cpu', 'max']),
    ...['-add-fd', `fd=${descriptor.image},set=1`],
    ...block({ driver: 'file', 'node-name': 'image-file', filename: '/dev/fdset/1', 'read-only': true }),
    // Whatever its header says, the image has no backing file.
    ...block({
      driver: image.format,
      'node-name': 'image',
      file: 'image-file',
      'read-only': true,
      ...(image.format === 'qcow2' && { backing: null }),
    }),
    // What is lost with the machine need not reach the disk.
    ...block({ driver: 'file', 'node-name': 'overlay-file', filename: overlay, cache: { 'no-flush': true } }),
    ...block({ driver: 'qcow2', 'node-name': diskNode, file: 'overlay-file', backing: 'image', discard: 'unmap' }),
    ...['-device', `ide-hd,drive=${diskNode},bus=ide.0,bootindex=0`],
    ...['-device', `VGA,edid=on,xres=${size.width},yres=${size.height}`],
    ...['-device', 'qemu-xhci', '-device', 'usb-tablet', '-device', 'pvpanic'],
    // `restrict` leaves the guest an empty network.
    ...['-netdev', `user,id=net,ipv6=off,restrict=${connected ? 'off' : 'on'}`],
    ...['-device', 'e1000e,netdev=net,romfile='],
    ...['-chardev', `socket,id=qmp,fd=${descriptor.qmp}`, '-mon', 'chardev=qmp,mode=control'],
    ...['-chardev', `ringbuf,id=${serialBuffer},size=${serialBytes}`, '-serial', `chardev:${serialBuffer}`],
    ...(vnc === undefined ? [] : ['-vnc', `${vncAddress(vnc)},password=on`]),
  ];
}

function vncAddress(endpoint: number | string): string {
  // A comma in QEMU's options is doubled.
  return typeof endpoint === 'number'
    ? `127.0.0.1:${endpoint - firstVncPort}`
    : `unix:${endpoint.replaceAll(',', ',,')}`;
}

const block = (options: Readonly<Record<string, unknown>>): string[] => ['-blockdev', JSON.stringify(options)];
