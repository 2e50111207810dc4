import {
  type AgentAction,
  carryOut,
  type Environment,
  type Frame,
  GyreError,
  type OfferedTool,
  type StepResult,
  type Task,
  type Verdict,
} from '@gyre/protocol';
import { z } from 'zod';
import { notReset } from '../bridge/notReset.js';
import { noScreen, Observation, screenOf, textOf } from './observation.js';
import { CubeServer } from './rpc.js';

/** Containers, virtual machines and downloads can be part of it. */
const startMs = 900_000;
const stepMs = 300_000;
const evaluateMs = 900_000;
const closeMs = 60_000;

/** Ends the episode by the standard, as `finished` does here. */
const stopAction = 'final_step';

const Tools = z.array(
  z.object({ name: z.string().min(1), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
);
const Started = z.object({ obs: Observation });
const Stepped = z.object({
  obs: Observation,
  reward: z.number(),
  done: z.boolean(),
  truncated: z.boolean().default(false),
});
const Evaluated = z.object({ reward: z.number() });

/** A serialised `TaskConfig`: it is passed back as it came. */
export const CubeTask = z.looseObject({ metadata: z.looseObject({ id: z.string().min(1) }) });
export type CubeTask = z.infer<typeof CubeTask>;

export interface CubeEnvironmentOptions {
  readonly task: Task;
  readonly official: CubeTask;
  readonly benchmark: CubeServer;
  /** Instruction of a task whose first observation has no text. */
  readonly description: string;
}

/**
 * A task at a server of the CUBE standard, which carries out the actions and rewards them. Its actions are offered as tools of the
 * server `cube`; the mouse and the keyboard are not part of the standard. `info` never leaves this class: benchmarks put solutions there.
 */
export class CubeEnvironment implements Environment {
  readonly #options: CubeEnvironmentOptions;
  #task: Task;
  #server: CubeServer | undefined;
  #tools: z.infer<typeof Tools> = [];
  #frame: Frame = noScreen;
  #done = false;

  constructor(options: CubeEnvironmentOptions) {
    this.#options = options;
    this.#task = options.task;
  }

  get task(): Task {
    return this.#task;
  }

  async reset(): Promise<Frame> {
    await this.close();
    const { task, official, description } = this.#options;
    const server = await this.#spawned(official);
    this.#server = server;
    this.#done = false;
    this.#tools = await server.call('tools/list', {}, Tools, { timeoutMs: startMs });
    const { obs } = await server.call('cube/reset', {}, Started, { timeoutMs: startMs });
    this.#frame = screenOf(obs) ?? noScreen;
    this.#task = { ...task, instruction: textOf(obs) || description, screen: this.#frame.size };
    return this.#frame;
  }

  tools(): Promise<readonly OfferedTool[]> {
    const tools = this.#tools.filter(({ name }) => name !== stopAction);
    return Promise.resolve(
      tools.map(({ name, description, parameters }) => ({
        server: 'cube',
        name,
        description,
        inputSchema: parameters,
      })),
    );
  }

  async step(actions: readonly AgentAction[]): Promise<StepResult> {
    let reward = 0;
    const act = async (name: string, args: object) => {
      const { obs, ...stepped } = await this.#started.call('cube/step', { name, arguments: args }, Stepped, {
        timeoutMs: stepMs,
      });
      reward = stepped.reward;
      this.#done = stepped.done || stepped.truncated;
      this.#frame = screenOf(obs) ?? this.#frame;
      return textOf(obs);
    };
    const carried = await carryOut(actions, async (action) => {
      if (this.#done || action.type === 'screenshot' || action.type === 'wait') return undefined;
      if (action.type !== 'mcp_tool') {
        throw new GyreError('bad_input', `a CUBE task has no action ${action.type}`, {
          field: 'type',
          fix: 'use mcp_tool',
        });
      }
      if (!this.#tools.some(({ name }) => name === action.tool) || action.server !== 'cube') {
        const names = this.#tools.map(({ name }) => name).join(', ');
        throw new GyreError('bad_input', `there is no tool ${action.server} ${action.tool}`, {
          field: 'tool',
          fix: `use the server cube and one of ${names}`,
        });
      }
      return act(action.tool, action.arguments ?? {});
    });
    if (carried.ended && !this.#done && this.#tools.some(({ name }) => name === stopAction)) await act(stopAction, {});
    return { ...carried, observation: this.#frame, reward, done: carried.ended || this.#done };
  }

  observe(): Promise<Frame> {
    return this.#server ? Promise.resolve(this.#frame) : Promise.reject(notReset());
  }

  async verdict(): Promise<Verdict> {
    const { reward } = await this.#started.call('cube/evaluate', {}, Evaluated, { timeoutMs: evaluateMs });
    return {
      success: reward >= 1,
      score: Math.min(1, Math.max(0, reward)),
      source: 'verifier',
      evidence: { official: this.#options.official.metadata.id, reward },
    };
  }

  /** The task's process stays until the benchmark's ends: the standard has no call that ends it. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.call('cube/close', {}, z.unknown(), { timeoutMs: closeMs }).catch(() => undefined);
  }

  get #started(): CubeServer {
    if (this.#server) return this.#server;
    throw notReset();
  }

  /** Takes only the port of the answer: the server knows itself by an address that may not be reachable from here. */
  async #spawned(official: CubeTask): Promise<CubeServer> {
    const { benchmark } = this.#options;
    const address = new URL(benchmark.url);
    const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
    const params = { task_config: official, host: isLocal ? '127.0.0.1' : '0.0.0.0' };
    const Url = z.url().transform((url) => new URL(url).port);
    const port = await benchmark.call('cube/spawn', params, Url, { timeoutMs: startMs });
    const server = new CubeServer(`${address.protocol}//${address.hostname}:${port}/`);
    await server.ready({ timeoutMs: startMs });
    return server;
  }
}
