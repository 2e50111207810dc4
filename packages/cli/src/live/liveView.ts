import { type Sandbox, type SandboxServer, type SandboxSession, serveSandbox, AccessTokens } from '@gyre/sandbox';

/** Serves a page on which a person controls a session, once a link is requested. */
export class LiveView {
  readonly #sandbox: Sandbox;
  readonly #session: SandboxSession;

  readonly #token = AccessTokens.random();
  #server: Promise<SandboxServer> | undefined;

  constructor(sandbox: Sandbox, session: SandboxSession) {
    this.#sandbox = sandbox;
    this.#session = session;
  }

  /** Returns the page's URL with its token. */
  async link(name: string): Promise<string> {
    const sandbox = this.#sandbox;
    const session = this.#session;
    const tokens = [{ token: this.#token, scope: 'operate' as const }];
    const { url } = await (this.#server ??= serveSandbox({ sandbox, tokens, sessions: [session] }));
    return `${url}/v1/sessions/${session.id}/view#${new URLSearchParams({ token: this.#token, name, play: 'yes' }).toString()}`;
  }

  async close(): Promise<void> {
    await (await this.#server)?.close();
  }
}
