import { type Sandbox, type SandboxServer, type SandboxSession, serveSandbox, AccessTokens } from '@gyre/sandbox';

/** The page on which a person sees a session of a sandbox and has its mouse and keys. It is served once somebody wants it. */
export class LiveView {
  readonly #token = AccessTokens.random();
  #server: Promise<SandboxServer> | undefined;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly session: SandboxSession,
  ) {}

  /** Its address, with all that is needed to use it. @param name of the person who has the session by it. */
  async link(name: string): Promise<string> {
    const { sandbox, session } = this;
    const tokens = [{ token: this.#token, scope: 'operate' as const }];
    const { url } = await (this.#server ??= serveSandbox({ sandbox, tokens, sessions: [session] }));
    return `${url}/v1/sessions/${session.id}/view#${new URLSearchParams({ token: this.#token, name, play: 'yes' }).toString()}`;
  }

  /** Ends the server, and the session with it. */
  async close(): Promise<void> {
    await (await this.#server)?.close();
  }
}
