import { randomBytes } from 'node:crypto';
import { GyreError } from '@gyre/protocol';

/** A token of a NATS subject and of a KV key. */
const token = /^[\w-]{1,64}$/;

/** The subjects and buckets of one fleet; several share a NATS. */
export interface Names {
  readonly members: string;
  readonly claims: string;
  /** `verb` may be `*`. */
  readonly command: (instance: string, verb: string) => string;
  readonly events: string;
}

export function namesOf(fleet: string): Names {
  if (!/^[\w-]{1,32}$/.test(fleet)) {
    throw new GyreError('bad_input', `${JSON.stringify(fleet)} is not a name of a fleet`, {
      field: 'fleet',
      fix: 'use at most 32 letters, digits, - and _',
    });
  }
  return {
    members: `gyre_${fleet}_members`,
    claims: `gyre_${fleet}_claims`,
    command: (instance, verb) => `gyre.${fleet}.node.${instance}.${verb}`,
    events: `gyre.${fleet}.events`,
  };
}

/** Names one process of a node: ids of its sessions never return after a restart. Throws `bad_input`. */
export function newInstance(name: string): string {
  const instance = `${name}_${randomBytes(4).toString('hex')}`;
  if (token.test(instance)) return instance;
  throw new GyreError('bad_input', `${JSON.stringify(name)} is not a name of a node`, {
    field: 'name',
    fix: 'use at most 55 letters, digits, - and _',
  });
}

export const isInstance = (text: string): boolean => token.test(text);

/** Returns the instance in a session's id, such as `rack1_0af3c2d1-7`. */
export function instanceOf(session: string): string | undefined {
  const end = session.lastIndexOf('-');
  const instance = session.slice(0, Math.max(0, end));
  return isInstance(instance) && /^\d{1,15}$/.test(session.slice(end + 1)) ? instance : undefined;
}
