import { z } from 'zod';
import { remoteProtocols } from '../foreign/driven/remote.js';
import { ScreenSize } from '../input/screenSize.js';
import { userName } from '../isolation/isolationOptions.js';
import { kinds, machineKinds } from '../lease/kind.js';

const positive = z.number().positive();
const ms = positive.max(600_000);

const labelText = z.string().regex(/^[\w./-]{1,64}$/);

export const Labels = z.record(labelText, labelText).refine((labels) => Object.keys(labels).length <= 16, {
  error: 'must be at most 16',
});
export type Labels = z.infer<typeof Labels>;

/** Times in ms. */
export const LeaseTimeRequest = z.strictObject({
  ttlMs: positive.max(86_400_000).optional(),
  /** For a slot or device. */
  waitMs: z.number().nonnegative().max(600_000).optional(),
  /** The server's, or a fleet's node's, such as `{ zone: 'a' }`. */
  labels: Labels.optional(),
});

export const MachineLeaseRequest = z.strictObject({
  kind: z.enum(machineKinds),
  size: ScreenSize.optional(),
  ...LeaseTimeRequest.shape,
  clock: z.enum(['stepped', 'free']).optional(),
  touch: z.boolean().optional(),
  stepMs: positive.optional(),
  loadMs: ms.optional(),
  ignoreCertificateErrors: z.boolean().optional(),
  wine: z.array(z.string()).max(64).optional(),
  /** The server's image, and resources. */
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
  /** `machine`, or the name of one of the server's roots. */
  root: z.string().min(1).max(255).optional(),
  /** The home is /home/NAME. */
  user: z.string().regex(userName).optional(),
  /** Folders end with /. */
  files: z
    .record(z.string().min(1), z.union([z.string(), z.strictObject({ text: z.string(), executable: z.boolean() })]))
    .optional(),
  network: z.union([z.literal('none'), z.strictObject({ allow: z.array(z.string().min(1)).min(1) })]).optional(),
});

/** Timeouts, and when an action is over. */
const patience = {
  timeoutMs: ms.optional(),
  settle: z
    .union([
      z.literal(false),
      z.strictObject({ firstChangeMs: ms, stableReads: z.int().min(1).max(100), gapMs: ms, boundMs: ms }).partial(),
    ])
    .optional(),
};

const PhoneLeaseRequest = z.strictObject({
  kind: z.literal('phone'),
  /** Must be allow-listed. */
  serial: z.string().min(1).max(255),
  capture: z.enum(['png', 'raw']).optional(),
  names: z.record(z.string(), z.string()).optional(),
  ...patience,
  ...LeaseTimeRequest.shape,
});

const secret = z.string().regex(/^[!-~]{1,4096}$/);

const RemoteLeaseRequest = z.strictObject({
  kind: z.literal('remote'),
  protocol: z.enum(remoteProtocols as [(typeof remoteProtocols)[number], ...typeof remoteProtocols]),
  /** Must be allow-listed. */
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  token: secret.optional(),
  container: secret.optional(),
  ...patience,
  ...LeaseTimeRequest.shape,
});

export const LeaseRequest = z.discriminatedUnion('kind', [MachineLeaseRequest, PhoneLeaseRequest, RemoteLeaseRequest], {
  // Other codes occur too, whatever the type says.
  error: (issue) => ((issue.code as string) === 'invalid_union' ? `must be one of ${kinds.join(', ')}` : undefined),
});
export type LeaseRequest = z.infer<typeof LeaseRequest>;
