import type { Size } from '@gyre/protocol';
import type { BaseImage } from './image.js';

export const descriptor = { image: 3, screen: 4, qmp: 5 } as const;

/** The guest's disk, an overlay over the image. */
export const diskNode = 'disk';

/** The size must be a power of 2. */
export const serialBuffer = 'serial';
export const serialBytes = 2 ** 16;

/** QEMU's default is up to 1 GiB. */
const translatedMiB = 256;

export const firstVncPort = 5_900;

export interface MachineTerms {
  readonly image: Pick<BaseImage, 'format'>;
  readonly overlay: string;
  readonly accelerated: boolean;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly size: Size;
  readonly connected: boolean;
  /** A loopback port, or a socket path in QEMU's view. */
  readonly vnc?: number | string;
}

export const sandboxFlags = ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'];

/**
 * Describes a PC with universally supported devices. A plain VGA card, because others draw the pointer outside the
 * picture.
 */
export function machineArguments(terms: MachineTerms): string[] {
  const { image, overlay, accelerated, memoryBytes, cpus, size, connected, vnc } = terms;
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none', ...sandboxFlags],
    // BIOS calls in SMM hang QEMU 7.2 without KVM, and no firmware here needs it.
    ...['-machine', 'q35,smm=off', '-m', `${Math.floor(memoryBytes / 2 ** 20)}M`, '-smp', String(cpus)],
    ...(accelerated
      ? ['-accel', 'kvm', '-cpu', 'host']
      : ['-accel', `tcg,thread=multi,tb-size=${translatedMiB}`, '-cpu', 'max']),
    ...['-add-fd', `fd=${descriptor.image},set=1`],
    ...block({ driver: 'file', 'node-name': 'image-file', filename: '/dev/fdset/1', 'read-only': true }),
    // Ignores backing files named by the image.
    ...block({
      driver: image.format,
      'node-name': 'image',
      file: 'image-file',
      'read-only': true,
      ...(image.format === 'qcow2' && { backing: null }),
    }),
    // The overlay dies with the machine.
    ...block({ driver: 'file', 'node-name': 'overlay-file', filename: overlay, cache: { 'no-flush': true } }),
    ...block({ driver: 'qcow2', 'node-name': diskNode, file: 'overlay-file', backing: 'image', discard: 'unmap' }),
    ...['-device', `ide-hd,drive=${diskNode},bus=ide.0,bootindex=0`],
    ...['-device', `VGA,edid=on,xres=${size.width},yres=${size.height}`],
    ...['-device', 'qemu-xhci', '-device', 'usb-tablet', '-device', 'pvpanic'],
    // `restrict` gives the guest an empty network.
    ...['-netdev', `user,id=net,ipv6=off,restrict=${connected ? 'off' : 'on'}`],
    ...['-device', 'e1000e,netdev=net,romfile='],
    ...['-chardev', `socket,id=qmp,fd=${descriptor.qmp}`, '-mon', 'chardev=qmp,mode=control'],
    ...['-chardev', `ringbuf,id=${serialBuffer},size=${serialBytes}`, '-serial', `chardev:${serialBuffer}`],
    ...(vnc === undefined ? [] : ['-vnc', `${vncAddress(vnc)},password=on`]),
  ];
}

function vncAddress(endpoint: number | string): string {
  // QEMU escapes commas by doubling.
  return typeof endpoint === 'number'
    ? `127.0.0.1:${endpoint - firstVncPort}`
    : `unix:${endpoint.replaceAll(',', ',,')}`;
}

const block = (options: Readonly<Record<string, unknown>>): string[] => ['-blockdev', JSON.stringify(options)];
