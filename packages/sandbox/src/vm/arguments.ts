import type { Size } from '@gyre/protocol';
import type { BaseImage } from './image.js';

/** Files that QEMU is started with, by their descriptors. */
export const descriptor = { image: 3, screen: 4, qmp: 5 } as const;

/** The block node that the guest's disk is: an overlay of its own over the image. */
export const diskNode = 'disk';

/** The buffer of what the guest has written to its serial port, and how much it holds, in bytes: a power of 2. */
export const serialBuffer = 'serial';
export const serialBytes = 2 ** 16;

/** Of translated code, in MiB. QEMU would take up to 1 GiB. */
const translatedMiB = 256;

export const firstVncPort = 5_900;

export interface MachineTerms {
  readonly image: Pick<BaseImage, 'format'>;
  /** Path of the overlay as QEMU sees it. */
  readonly overlay: string;
  readonly accelerated: boolean;
  readonly memoryBytes: number;
  readonly cpus: number;
  /** Of the screen, as the guest is told that its owner would like it. */
  readonly size: Size;
  /** Whether the guest reaches what QEMU reaches. */
  readonly connected: boolean;
  /** A port of the loopback, or the path of a socket as QEMU sees it. */
  readonly vnc?: number | string;
}

/** What QEMU never does, by a filter of its own: it starts no programs and takes no other rights. */
export const tame = ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'];

/**
 * Arguments of qemu-system-x86_64 for one machine: a PC of devices that every system knows without being given drivers. Its screen is a
 * plain VGA card, since others draw the pointer beside the picture.
 */
export function machineArguments(terms: MachineTerms): string[] {
  const { image, overlay, accelerated, memoryBytes, cpus, size, connected, vnc } = terms;
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none', ...tame],
    // System management mode serves firmware that is not here, and BIOS calls within it get lost on QEMU 7.2 without KVM.
    ...['-machine', 'q35,smm=off', '-m', `${Math.floor(memoryBytes / 2 ** 20)}M`, '-smp', String(cpus)],
    ...(accelerated
      ? ['-accel', 'kvm', '-cpu', 'host']
      : ['-accel', `tcg,thread=multi,tb-size=${translatedMiB}`, '-cpu', 'max']),
    ...['-add-fd', `fd=${descriptor.image},set=1`],
    ...block({ driver: 'file', 'node-name': 'image-file', filename: '/dev/fdset/1', 'read-only': true }),
    // The image stands alone, whatever its header says.
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
    // `restrict` leaves the guest a network with nobody in it.
    ...['-netdev', `user,id=net,ipv6=off,restrict=${connected ? 'off' : 'on'}`],
    ...['-device', 'e1000e,netdev=net,romfile='],
    ...['-chardev', `socket,id=qmp,fd=${descriptor.qmp}`, '-mon', 'chardev=qmp,mode=control'],
    ...['-chardev', `ringbuf,id=${serialBuffer},size=${serialBytes}`, '-serial', `chardev:${serialBuffer}`],
    ...(vnc === undefined ? [] : ['-vnc', `${vncAddress(vnc)},password=on`]),
  ];
}

function vncAddress(at: number | string): string {
  // In QEMU's options a comma is written twice.
  return typeof at === 'number' ? `127.0.0.1:${at - firstVncPort}` : `unix:${at.replaceAll(',', ',,')}`;
}

const block = (options: Readonly<Record<string, unknown>>): string[] => ['-blockdev', JSON.stringify(options)];
