import { basename, resolve } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { serveStudio, type StudioOptions, type StudioServer } from '@gyre/studio';

type CockpitOptions = Pick<StudioOptions, 'port' | 'nextTask' | 'transcriber'>;

/** Serves the studio of one run's folder, once a link to an episode is requested. */
export class Cockpit {
  readonly #directory: string;
  readonly #options: CockpitOptions;
  #server: Promise<StudioServer> | undefined;

  constructor(directory: string, options: CockpitOptions = {}) {
    this.#directory = resolve(directory);
    this.#options = options;
  }

  /** The run's name in the studio. */
  get run(): string {
    return basename(this.#directory);
  }

  /** Returns the URL of the episode's page, with its token. */
  async link(episode: string): Promise<string> {
    const policies = { names: () => Promise.resolve([]), open: () => Promise.reject(noPolicies()) };
    this.#server ??= serveStudio({ runs: [this.#directory], policies, ...this.#options });
    const { url, link } = await this.#server;
    return `${url}/live/${encodeURIComponent(this.run)}/${episode}${new URL(link).hash}`;
  }

  async close(): Promise<void> {
    await (await this.#server)?.close();
  }
}

const noPolicies = (): GyreError =>
  new GyreError('bad_input', 'no policies are offered here', { field: 'policy', fix: 'fork it in `gyre studio`' });
