import { GyreError } from '@gyre/protocol';

/**
 * The life of a session: `leased` answers; `broken` lost its browser, its page or its lease and only fails; `released` was
 * given back.
 */
export type SessionState = 'leased' | 'broken' | 'released';

const transitions: Readonly<Record<SessionState, readonly SessionState[]>> = {
  leased: ['broken', 'released'],
  broken: ['released'],
  released: [],
};

/** Returns `to`. Throws `bad_input` where the table does not allow it. */
export function transition(from: SessionState, to: SessionState): SessionState {
  if (!transitions[from].includes(to)) {
    throw new GyreError('bad_input', `a session cannot go from ${from} to ${to}`, {
      field: 'state',
      fix: 'lease another session',
    });
  }
  return to;
}
