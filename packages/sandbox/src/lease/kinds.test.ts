import { expectTypeOf, it } from 'vitest';
import type { SandboxClient } from '../client/client.js';
import type { ClientDesktop } from '../client/clientDesktop.js';
import type { ClientPhone } from '../client/clientDevice.js';
import type { Desktop } from '../desktop/desktop.js';
import type { Remote } from '../foreign/driven/remote.js';
import type { Phone } from '../phone/phone.js';
import type { Vm } from '../vm/vm.js';
import type { MachineLease, Sandbox, SandboxLease } from './sandbox.js';
import type { SandboxSession } from './sandboxSession.js';
import type { BrowserSurface } from './session.js';

it('types a lease by its kind', () => {
  // Compiled only.
  const here = async (sandbox: Sandbox, machine: MachineLease, any: SandboxLease) => {
    expectTypeOf((await sandbox.lease({ kind: 'browser' })).browser).toEqualTypeOf<BrowserSurface>();
    expectTypeOf((await sandbox.lease({ kind: 'desktop', wine: [] })).desktop).toEqualTypeOf<Desktop>();
    expectTypeOf((await sandbox.lease({ kind: 'vm', vm: { image: 'a' } })).vm).toEqualTypeOf<Vm>();
    expectTypeOf((await sandbox.lease({ kind: 'phone', serial: 'a' })).phone).toEqualTypeOf<Phone>();
    const remote = await sandbox.lease({ kind: 'remote', protocol: 'osworld', url: 'http://a' });
    expectTypeOf(remote.remote).toEqualTypeOf<Remote>();

    const session = await sandbox.lease(machine);
    expectTypeOf(session).toEqualTypeOf<SandboxSession>();
    expectTypeOf(session.browser).toEqualTypeOf<BrowserSurface | undefined>();
    if (session.kind === 'browser') expectTypeOf(session.browser).toEqualTypeOf<BrowserSurface>();
    expectTypeOf((await sandbox.lease(any)).kind).toEqualTypeOf<SandboxLease['kind']>();

    // @ts-expect-error a phone has a serial
    await sandbox.lease({ kind: 'phone' });
    // @ts-expect-error a browser has no serial
    await sandbox.lease({ kind: 'browser', serial: 'a' });
    // @ts-expect-error a misspelt term
    await sandbox.lease({ kind: 'browser', sise: { width: 1, height: 1 } });
    // @ts-expect-error a kind that there is not
    await sandbox.lease({ kind: 'mainframe' });
  };
  const elsewhere = async (client: SandboxClient) => {
    expectTypeOf((await client.lease({ kind: 'browser' })).browser).toEqualTypeOf<BrowserSurface>();
    expectTypeOf((await client.lease({ kind: 'desktop' })).desktop).toEqualTypeOf<ClientDesktop>();
    expectTypeOf((await client.lease({ kind: 'phone', serial: 'a' })).phone).toEqualTypeOf<ClientPhone>();
    // @ts-expect-error a misspelt term
    await client.lease({ kind: 'browser', sise: { width: 1, height: 1 } });
  };
  expectTypeOf(here).toBeFunction();
  expectTypeOf(elsewhere).toBeFunction();
});
