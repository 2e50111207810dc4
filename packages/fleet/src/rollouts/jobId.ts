import { createHash } from 'node:crypto';
import type { JobPolicy, RolloutJob } from '@gyre/protocol';

/** Returns the id of a job, and of its episode: the first 32 hex digits of a SHA-256 over the fields. */
export function jobId(job: RolloutJob): string {
  const { run, family, split, seed, size, attempt, sampleSeed, purpose, policy } = job;
  const screen = size ? [size.width, size.height] : [];
  return digest([run, family, split, seed, screen, attempt, sampleSeed, purpose, policyKey(policy), versionOf(policy)]);
}

/** Returns the token of a subject under which workers of this policy take their jobs. */
export function policyKey(policy: JobPolicy): string {
  if (policy.kind === 'weights') return 'weights';
  if (policy.kind === 'named') return `named_${policy.name}`;
  return `model_${digest([policy.url, policy.name ?? ''])}`;
}

const versionOf = (policy: JobPolicy): number => (policy.kind === 'weights' ? policy.version : 0);

const digest = (fields: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 32);
