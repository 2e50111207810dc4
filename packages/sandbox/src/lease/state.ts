import { GyreError } from '@gyre/protocol';

/** The life of a session: `leased` answers; `broken` lost its machine, its page or its lease and only fails; `released` was given back. */
export type SessionState = 'leased' | 'broken' | 'released';

/** The life of the machine of a session, which begins before anybody has it. */
export type MachineState = 'starting' | 'warm' | SessionState;

/**
 * Every way from one state to another, and when it is taken. What is not here does not happen: a machine that somebody has had is
 * never leased again.
 */
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
