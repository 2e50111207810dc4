import { GyreError } from '@gyre/protocol';
import type { SandboxSession } from './sandboxSession.js';
import type { Session } from './session.js';

/** Throws `bad_input` for a session without shell and files. */
export function machineOf(session: Session): SandboxSession {
  if ('shell' in session && 'files' in session && 'home' in session) return session as SandboxSession;
  throw new GyreError('bad_input', 'the session has no machine of its own', {
    field: 'session',
    fix: "lease a session with a machine: sandbox.lease({ kind: 'desktop' })",
  });
}
