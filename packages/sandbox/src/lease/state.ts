import { GyreError } from '@gyre/protocol';

/** State of a session: `broken` has lost its machine, page or lease, and every call throws. */
export type SessionState = 'leased' | 'broken' | 'released';

/** State of a machine, which exists before its lease. */
export type MachineState = 'starting' | 'warm' | SessionState;

/** Every allowed transition, and its cause. A machine is never leased twice. */
export const transitions: Readonly<Record<MachineState, Readonly<Partial<Record<MachineState, string>>>>> = {
  starting: {
    warm: 'it is ready, and kept for a lease to come',
    leased: 'it is ready, and who has asked for it gets it',
    broken: 'it did not start, or ended while it did',
    released: 'the sandbox was closed, or who has asked for it has gone',
  },
  warm: {
    leased: 'a lease with its terms takes it',
    broken: 'it ended, or did not answer when it was to be leased; another takes its place',
    released: 'the sandbox was closed',
  },
  leased: {
    broken: 'nothing was used for `ttlMs`, or its browser, its page, its screen, its walls or its device are gone',
    released: 'it was given back, or the sandbox was closed',
  },
  broken: { released: 'whoever had it has heard of it, and gives it back' },
  released: {},
};

/** Returns `to`. Throws `bad_input` where the table does not allow it. */
export function transition<To extends MachineState>(from: MachineState, to: To): To {
  if (transitions[from][to] === undefined) {
    throw new GyreError('bad_input', `a session cannot go from ${from} to ${to}`, {
      field: 'state',
      fix: 'lease another session',
    });
  }
  return to;
}
