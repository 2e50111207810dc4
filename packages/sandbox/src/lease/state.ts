import { GyreError } from '@gyre/protocol';

/** `broken`: lost machine, page or lease; every call throws. */
export type SessionState = 'leased' | 'broken' | 'released';

export type MachineState = 'starting' | 'warm' | SessionState;

/** Transitions and their causes. A machine is never leased twice. */
export const transitions: Readonly<Record<MachineState, Readonly<Partial<Record<MachineState, string>>>>> = {
  starting: {
    warm: 'it is ready and waits for a lease',
    leased: 'it is ready, and a lease waits for it',
    broken: 'it did not start',
    released: 'the sandbox was closed, or its lease was given up',
  },
  warm: {
    leased: 'a lease with its terms takes it',
    broken: 'it ended or did not answer; another one replaces it',
    released: 'the sandbox was closed',
  },
  leased: {
    broken: 'it was idle for `ttlMs`, or lost its browser, page, screen, enclosure or device',
    released: 'it was given back, or the sandbox was closed',
  },
  broken: { released: 'its holder released it' },
  released: {},
};

/** Throws `bad_input` for a forbidden transition. */
export function transition<To extends MachineState>(from: MachineState, to: To): To {
  if (transitions[from][to] === undefined) {
    throw new GyreError('bad_input', `a session cannot go from ${from} to ${to}`, {
      field: 'state',
      fix: 'lease another session',
    });
  }
  return to;
}
