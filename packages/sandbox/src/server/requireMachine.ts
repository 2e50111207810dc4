import { GyreError } from '@gyre/protocol';
import type { AnySession } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';

/** Throws `bad_input` for devices. */
export function requireMachine(session: AnySession): SandboxSession {
  if ('tools' in session) return session;
  throw new GyreError('bad_input', `a ${session.kind} has no browser, tools, ports or checkpoints of gyre's`, {
    field: 'id',
    fix: 'lease a browser or a desktop as well',
  });
}
