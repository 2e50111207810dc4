import type { AgentAction } from '../action/sdkCall.js';
import type { Advice, Verdict } from '../episode/episode.js';
import type { Task } from '../episode/task.js';
import { GyreError } from '../error.js';
import type {
  Environment,
  Frame,
  Holder,
  OfferedTool,
  OracleTurn,
  ResetOptions,
  StepOptions,
  StepResult,
} from './environment.js';

/** Forwards every call, for subclasses to override. */
export class EnvironmentWrapper implements Environment {
  readonly #inner: Environment;

  constructor(inner: Environment) {
    this.#inner = inner;
  }

  get task(): Task {
    return this.#inner.task;
  }

  get holder(): Holder | undefined {
    return this.#inner.holder;
  }

  get uncontrolled(): readonly string[] {
    return this.#inner.uncontrolled ?? [];
  }

  reset(options?: ResetOptions): Promise<Frame> {
    return this.#inner.reset(options);
  }

  step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    return this.#inner.step(actions, options);
  }

  observe(): Promise<Frame> {
    return this.#inner.observe();
  }

  verdict(): Promise<Verdict | undefined> {
    return this.#inner.verdict();
  }

  /** Throws `bad_input` if there is no scripted solution. */
  async oracle(): Promise<OracleTurn> {
    if (this.#inner.oracle) return this.#inner.oracle();
    throw new GyreError('bad_input', `${this.task.id} has no scripted solution`, {
      field: 'policy',
      fix: 'use a model',
    });
  }

  async advise(): Promise<Advice | undefined> {
    return this.#inner.advise?.();
  }

  async tools(): Promise<readonly OfferedTool[]> {
    return (await this.#inner.tools?.()) ?? [];
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
