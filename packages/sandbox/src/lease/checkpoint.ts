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
  terms: MachineLeaseRequest.omit({ ttlMs: true, waitMs: true, vm: true, root: true, files: true }),
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
  throw new GyreError('corrupt', `the checkpoint is invalid: ${issue?.message ?? 'it is malformed'}`, {
    field: issue?.path.join('.') || 'checkpoint',
    fix: 'pass the complete result of `checkpoint`',
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
  root,
}: MachineTerms): Checkpoint['terms'] {
  if (kind === 'browser' && clock === 'free') {
    throw new GyreError('bad_input', "a page with clock: 'free' cannot be replayed", {
      field: 'clock',
      fix: "lease it with clock: 'stepped', or save only its files",
    });
  }
  if (pictures === false) {
    throw new GyreError('bad_input', 'a session without pictures has no frame to verify a checkpoint with', {
      field: 'pictures',
      fix: 'lease it with pictures: true',
    });
  }
  const terms = { kind, size, clock, touch, stepMs, loadMs, ignoreCertificateErrors, wine, limits, network, user };
  if (root !== undefined) {
    throw new GyreError('bad_input', 'a session with a root of its own has no checkpoints', {
      field: 'root',
      fix: 'copy what is needed with session.shell and session.files',
    });
  }
  if (kind === 'vm') {
    throw new GyreError('bad_input', 'a virtual machine has no checkpoints', {
      field: 'kind',
      fix: 'use session.vm.snapshot(name), which lasts until the session ends',
    });
  }
  const parsed = Checkpoint.shape.terms.safeParse(JSON.parse(JSON.stringify(terms)));
  if (parsed.success) return parsed.data;
  throw new GyreError('bad_input', 'a checkpoint cannot store the terms of the session', {
    field: parsed.error.issues[0]?.path.join('.') ?? 'terms',
    fix: 'lease the session with other terms',
  });
}
