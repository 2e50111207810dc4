import { ContentHash, GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { Step } from './journal.js';
import type { MachineTerms } from './machineTerms.js';
import { MachineLeaseRequest } from '../wire/lease.js';

/**
 * A session as JSON: its home, and the actions on its frame-stepped page. It holds neither programs nor terms that only
 * the owner may set (`readable`, `env`).
 */
export const Checkpoint = z.strictObject({
  version: z.literal(1),
  at: z.iso.datetime(),
  // Only the operator names images.
  terms: MachineLeaseRequest.omit({ ttlMs: true, waitMs: true, vm: true, files: true }),
  /** Actions that lead to the frame `hash`. */
  page: z.strictObject({ steps: z.array(Step), hash: ContentHash }).optional(),
  /** base64(gzip(tar)). */
  home: z.string(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export interface CheckpointOptions {
  /** Limit of the packed home. Default 32 MiB. */
  readonly maxBytes?: number;
}

/** Throws `corrupt`. */
export function readCheckpoint(value: unknown): Checkpoint {
  const parsed = Checkpoint.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new GyreError('corrupt', `this is no checkpoint: ${issue?.message ?? 'it does not fit'}`, {
    field: issue?.path.join('.') || 'checkpoint',
    fix: 'give what `checkpoint` gave, whole',
  });
}

/** Throws `bad_input` for what cannot be restored. */
export function checkpointTerms({
  kind,
  size,
  clock,
  touch,
  stepMs,
  loadMs,
  ignoreCertificateErrors,
  pictures,
  wine,
  limits,
  network,
  user,
}: MachineTerms): Checkpoint['terms'] {
  if (kind === 'browser' && clock === 'free') {
    throw new GyreError('bad_input', 'a page whose time passes by itself cannot be replayed', {
      field: 'clock',
      fix: "lease it with clock: 'stepped', or keep its files alone",
    });
  }
  if (pictures === false) {
    throw new GyreError(
      'bad_input',
      'a session without pictures shows nothing that its checkpoint could be compared with',
      {
        field: 'pictures',
        fix: 'lease it with pictures: true',
      },
    );
  }
  const terms = { kind, size, clock, touch, stepMs, loadMs, ignoreCertificateErrors, wine, limits, network, user };
  if (kind === 'vm') {
    throw new GyreError('bad_input', 'a virtual machine is no files and no page', {
      field: 'kind',
      fix: 'keep its state with session.vm.snapshot(name), as long as it lives',
    });
  }
  const parsed = Checkpoint.shape.terms.safeParse(JSON.parse(JSON.stringify(terms)));
  if (parsed.success) return parsed.data;
  throw new GyreError('bad_input', 'the terms of the session do not fit into a checkpoint', {
    field: parsed.error.issues[0]?.path.join('.') ?? 'terms',
    fix: 'lease it with other terms',
  });
}
