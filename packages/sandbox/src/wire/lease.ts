import { z } from 'zod';
import { remoteProtocols } from '../foreign/driven/remote.js';
import { ScreenSize } from '../input/screenSize.js';
import { userName } from '../isolation/wallOptions.js';
import { kinds, machineKinds } from '../lease/kind.js';

const positive = z.number().positive();
const ms = positive.max(600_000);

/** How long a lease of any kind holds and waits, in ms. */
export const LeaseTimeRequest = z.strictObject({
  ttlMs: positive.max(86_400_000).optional(),
  /** How long to wait for a place, or for a device that is leased. */
  waitMs: z.number().nonnegative().max(600_000).optional(),
});

export const MachineLeaseRequest = z.strictObject({
  kind: z.enum(machineKinds),
  size: ScreenSize.optional(),
  ...LeaseTimeRequest.shape,
  clock: z.enum(['stepped', 'free']).optional(),
  touch: z.boolean().optional(),
  stepMs: positive.optional(),
  /** How long a page may take to load, in ms. */
  loadMs: ms.optional(),
  ignoreCertificateErrors: z.boolean().optional(),
  wine: z.array(z.string()).max(64).optional(),
  /** The name of one of the server's images, and the resources of the guest. */
  vm: z
    .strictObject({ image: z.string().min(1), memoryBytes: positive.optional(), cpus: z.int().positive().optional() })
    .optional(),
  limits: z
    .strictObject({
      memoryBytes: positive,
      cpus: positive,
      processes: positive,
      diskBytes: positive,
      outputBytes: positive,
    })
    .partial()
    .optional(),
  /** Name of the user inside, whose home is /home/NAME. */
  user: z.string().regex(userName).optional(),
  /** Files that the home holds before any program starts, by path; folders where a path ends with /. */
  files: z
    .record(z.string().min(1), z.union([z.string(), z.strictObject({ text: z.string(), executable: z.boolean() })]))
    .optional(),
  network: z.union([z.literal('none'), z.strictObject({ allow: z.array(z.string().min(1)).min(1) })]).optional(),
});

/** How long a device may take to answer, and when an action is over. */
const patience = {
  timeoutMs: ms.optional(),
  settle: z
    .union([
      z.literal(false),
      z.strictObject({ firstChangeMs: ms, stableReads: z.int().min(1).max(100), gapMs: ms, boundMs: ms }).partial(),
    ])
    .optional(),
};

export const PhoneLeaseRequest = z.strictObject({
  kind: z.literal('phone'),
  /** A serial or an address that the operator allows. */
  serial: z.string().min(1).max(255),
  capture: z.enum(['png', 'raw']).optional(),
  names: z.record(z.string(), z.string()).optional(),
  ...patience,
  ...LeaseTimeRequest.shape,
});

const secret = z.string().regex(/^[!-~]{1,4096}$/);

export const RemoteLeaseRequest = z.strictObject({
  kind: z.literal('remote'),
  protocol: z.enum(remoteProtocols as [(typeof remoteProtocols)[number], ...typeof remoteProtocols]),
  /** An address that the operator allows. */
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  token: secret.optional(),
  container: secret.optional(),
  ...patience,
  ...LeaseTimeRequest.shape,
});

/** Terms of a lease, by kind. */
export const LeaseRequest = z.discriminatedUnion('kind', [MachineLeaseRequest, PhoneLeaseRequest, RemoteLeaseRequest], {
  // A body that is no object is another issue, whatever the type says.
  error: (issue) => ((issue.code as string) === 'invalid_union' ? `must be one of ${kinds.join(', ')}` : undefined),
});
export type LeaseRequest = z.infer<typeof LeaseRequest>;
