import { z } from 'zod';
import { remoteProtocols } from '../foreign/driven/remote.js';
import { leaseTime } from './leaseTime.js';

const ms = z.number().positive().max(600_000);

/** Common to devices: their answers, and when an action is over. */
const patience = {
  timeoutMs: ms.optional(),
  settle: z
    .union([
      z.literal(false),
      z.strictObject({ firstChangeMs: ms, stableReads: z.int().min(1).max(100), gapMs: ms, boundMs: ms }).partial(),
    ])
    .optional(),
};

/** What a phone is asked for. */
export const PhoneLeaseRequest = z.strictObject({
  kind: z.literal('phone'),
  /** A serial, or an address: one of those that the server may connect to. */
  serial: z.string().min(1).max(255),
  capture: z.enum(['png', 'raw']).optional(),
  names: z.record(z.string(), z.string()).optional(),
  ...patience,
  ...leaseTime,
});

const secret = z.string().regex(/^[!-~]{1,4096}$/);

/** What a machine elsewhere is asked for. */
export const RemoteLeaseRequest = z.strictObject({
  kind: z.literal('remote'),
  protocol: z.enum(remoteProtocols as [(typeof remoteProtocols)[number], ...typeof remoteProtocols]),
  /** One of those that the server may connect to. */
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  token: secret.optional(),
  container: secret.optional(),
  ...patience,
  ...leaseTime,
});

/** An app, see `PhoneApp`. */
export const PhoneAppInfo = z.strictObject({ package: z.string(), activity: z.string() });

/** Undefined where no app is to be seen. */
export const PhoneCurrent = z.strictObject({ app: PhoneAppInfo.optional() });

export const PhoneAppRequest = z.strictObject({ name: z.string().min(1).max(255) });

/** What apps say that they show, see `PhoneNode`. */
export const PhoneTree = z.array(z.looseObject({ role: z.string(), text: z.string(), children: z.array(z.unknown()) }));

/** What programs say that they show, see `RemoteAccessibility`. */
export const RemoteTree = z.discriminatedUnion('format', [
  z.strictObject({ format: z.literal('xml'), xml: z.string() }),
  z.strictObject({ format: z.literal('json'), tree: z.unknown() }),
]);
