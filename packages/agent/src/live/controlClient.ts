import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { ControlReply, type ControlRequest, type ControlVerb, LiveState, socketFolder } from './controlWire.js';
import { shortPath } from './controlSocket.js';

/** A process that does not answer for so long is busy or gone, in ms. */
const patienceMs = 3_000;
/** An action may take as long as the policy's. */
const actMs = 120_000;

const Refused = z.object({
  error: z.object({ code: z.string(), message: z.string(), field: z.string().optional(), fix: z.string().optional() }),
});

/** Controls the episodes that processes play into a lake. */
export class ControlClient {
  readonly #folder: string;
  /** Names of sockets by episode, as found last. */
  #places = new Map<string, string>();

  /** @param lake the folder of the lake */
  constructor(lake: string) {
    this.#folder = join(lake, socketFolder);
  }

  /** Returns the episodes that can be controlled. Processes that do not answer have none. */
  async states(viewer?: string): Promise<LiveState[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const query = viewer === undefined ? '' : `?viewer=${encodeURIComponent(viewer)}`;
    const answers = await Promise.all(
      names.map(async (name) => {
        const states = await this.#send(name, 'GET', `/v1/episodes${query}`)
          .then((body) => z.array(LiveState).parse(JSON.parse(body.toString())))
          .catch(() => []);
        return { name, states };
      }),
    );
    this.#places = new Map(answers.flatMap(({ name, states }) => states.map(({ id }) => [id, name])));
    return answers.flatMap(({ states }) => states);
  }

  /**
   * @throws GyreError `held` while another person has the episode; `bad_input` in a wrong state, or if it is not being
   *   played
   */
  async ask(id: string, verb: ControlVerb, body: ControlRequest): Promise<ControlReply> {
    const path = `/v1/episodes/${encodeURIComponent(id)}/${verb}`;
    const reply = await this.#send(await this.#find(id), 'POST', path, body);
    return ControlReply.parse(JSON.parse(reply.toString()));
  }

  /**
   * Returns the screen of an episode that waits, as PNG.
   *
   * @throws GyreError `bad_input` while the policy has it, or if it is not being played
   */
  async screen(id: string): Promise<Buffer> {
    return this.#send(await this.#find(id), 'GET', `/v1/episodes/${encodeURIComponent(id)}/screen`);
  }

  async #find(id: string): Promise<string> {
    if (!this.#places.has(id)) await this.states();
    const name = this.#places.get(id);
    if (name !== undefined) return name;
    throw new GyreError('bad_input', `episode ${id} cannot be controlled: its process has ended, or does not answer`, {
      field: 'episode',
      fix: 'choose one that is still running',
    });
  }

  async #send(name: string, method: 'GET' | 'POST', path: string, body?: object): Promise<Buffer> {
    const socket = await shortPath(this.#folder, name);
    try {
      const { status, answer } = await new Promise<{ status: number; answer: Buffer }>((resolve, reject) => {
        const sent = request(
          {
            ...{ socketPath: socket.path, method, path, signal: AbortSignal.timeout(body ? actMs : patienceMs) },
            headers: body ? { 'content-type': 'application/json' } : {},
          },
          (response) => {
            buffer(response).then((answer) => resolve({ status: response.statusCode ?? 500, answer }), reject);
          },
        );
        sent.on('error', (cause) =>
          reject(
            new GyreError('infra', `the process of the episode does not answer: ${cause.message}`, {
              part: 'machine',
              cause,
            }),
          ),
        );
        sent.end(body && JSON.stringify(body));
      });
      if (status < 400) return answer;
      throw refusalOf(answer);
    } finally {
      await socket.close();
    }
  }
}

function refusalOf(answer: Buffer): GyreError {
  const { code, message, ...detail } = Refused.parse(JSON.parse(answer.toString())).error;
  if (code === 'held' || code === 'bad_input') return new GyreError(code, message, detail);
  return new GyreError('infra', message, { ...detail, part: 'machine' });
}
