import type { AddressInfo } from 'node:net';
import { compatTerms, type Sandbox, type SandboxSession, serveCompat } from '@gyre/sandbox';

/** Attached to from outside by OSWorld: Chrome's debugging port and VLC's web interface. */
const forwarded = { chromium: 9222, vlc: 8080 } as const;

/** The session before needs time to end. */
const waitMs = 60_000;

const ttlMs = 2 ** 31 - 1;

/** A desktop of gyre behind OSWorld's in-VM protocol. OSWorld resets it for every task. */
export class OsworldMachine {
  private constructor(
    readonly url: string,
    readonly ports: Readonly<Record<keyof typeof forwarded, number>>,
    readonly close: () => Promise<void>,
  ) {}

  static async start(sandbox: Sandbox): Promise<OsworldMachine> {
    const ports = { chromium: 0, vlc: 0 };
    let session: SandboxSession | undefined;
    const lease = async (): Promise<SandboxSession> => {
      session = await sandbox.lease({ kind: 'desktop', ...compatTerms.osworld, ttlMs, waitMs });
      for (const [name, port] of Object.entries(forwarded) as [keyof typeof forwarded, number][]) {
        // The first lease finds free ports, which later ones keep.
        const server = await session.forward(port, { host: '127.0.0.1', port: ports[name] });
        ports[name] = (server.address() as AddressInfo).port;
      }
      return session;
    };
    const server = await serveCompat({ session: await lease(), renew: lease, protocol: 'osworld' });
    return new OsworldMachine(server.url, ports, async () => {
      await server.close();
      await session?.release();
    });
  }
}
