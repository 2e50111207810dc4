import { GyreError } from '@gyre/protocol';
import type { SandboxSession } from './sandboxSession.js';
import type { Session } from './session.js';

/** The session as that of a machine, with its shell and files. Throws `bad_input` where it is only a page, or a device that is lent. */
export function machineOf(session: Session): SandboxSession {
  if ('shell' in session && 'files' in session && 'home' in session) return session as SandboxSession;
  throw new GyreError('bad_input', 'the session has no machine of its own', {
    field: 'session',
    fix: "lease one of a sandbox: sandbox.lease({ kind: 'desktop' })",
  });
}
