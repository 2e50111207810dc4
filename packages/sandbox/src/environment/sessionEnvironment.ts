import {
  type AgentAction,
  carryOut,
  type Environment,
  type Frame,
  GyreError,
  type Holder,
  isSdkCall,
  type OfferedTool,
  type OracleTurn,
  type ResetOptions,
  type StepOptions,
  type StepResult,
  type Surface,
  type Task,
  type Verdict,
} from '@gyre/protocol';
import type { MachineKind } from '../lease/kind.js';
import type { Session } from '../lease/session.js';
import type { Machines } from './machines.js';
import type { Verifier } from './verifier.js';

export interface SessionEnvironmentOptions {
  readonly task: Task;
  readonly machines: Machines;
  /** Fresh per reset. Absent: a reused page. */
  readonly machine?: MachineKind | undefined;
  /** Absent: no reward, verdict or oracle. */
  readonly setUp?: ((session: Session) => Promise<Verifier>) | undefined;
}

export class SessionEnvironment implements Environment {
  readonly #options: SessionEnvironmentOptions;
  readonly #surfaces: Surface[];
  #task: Task;
  #session: Session | undefined;
  #verifier: Verifier | undefined;

  constructor(options: SessionEnvironmentOptions) {
    const { task, machines } = options;
    this.#options = options;
    this.#surfaces = [...new Set([...task.surfaces, ...(machines.sdk?.surfaces ?? [])])];
    this.#task = { ...task, surfaces: this.#surfaces };
  }

  get task(): Task {
    return this.#task;
  }

  get holder(): Holder | undefined {
    const session: (Session & { readonly control?: Holder }) | undefined = this.#session;
    return session?.control;
  }

  get uncontrolled(): readonly string[] {
    return this.#session?.browser?.uncontrolled ?? [];
  }

  /** Rethrows errors of lease and set-up; `bad_input` for the wrong kind of session. */
  async reset({ fresh = false }: ResetOptions = {}): Promise<Frame> {
    const { task, machine, machines, setUp } = this.#options;
    this.#verifier = undefined;
    // Machines retain files and programs. A failed release means a broken machine.
    if (fresh || machine !== undefined) await this.close().catch(() => undefined);
    this.#session ??= await machines.lease({ size: task.screen, machine, ...(fresh && { alone: true }) });
    const session = this.#session;
    this.#verifier = await setUp?.(session);
    const { instruction } = this.#verifier?.task ?? task;
    this.#task = { ...task, instruction, surfaces: this.#surfaces };
    return session.screen.observe();
  }

  async step(actions: readonly AgentAction[], { onObservation }: StepOptions = {}): Promise<StepResult> {
    const session = this.#started();
    const { ended, ...carried } = await carryOut(actions, (action) => this.#act(session, action));
    const observation = await session.screen.observe();
    const notices = session.screen.notices?.() ?? [];
    onObservation?.(observation);
    const results = [...carried.results, ...notices.map((text) => ({ kind: 'notice' as const, text }))];
    const finished = carried.actions.find((action) => action.type === 'finished');
    const { reward, done } = (await this.#verifier?.step(finished)) ?? { reward: 0, done: false };
    return { ...carried, results, observation, reward, done: done || ended };
  }

  async observe(): Promise<Frame> {
    return this.#started().screen.observe();
  }

  async verdict(): Promise<Verdict | undefined> {
    this.#started();
    return this.#verifier?.verdict();
  }

  async oracle(): Promise<OracleTurn> {
    this.#started();
    if (this.#verifier) return this.#verifier.oracle();
    throw new GyreError('bad_input', 'a custom instruction has no scripted solution', {
      field: '--policy',
      fix: 'use a model, or a task from `gyre tasks list`',
    });
  }

  async tools(): Promise<readonly OfferedTool[]> {
    return (await this.#options.machines.sdk?.tools?.(this.#started())) ?? [];
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (!session) return;
    const { machines } = this.#options;
    await (machines.giveBack ? machines.giveBack(session) : session.release());
  }

  async #act(session: Session, action: AgentAction): Promise<string | undefined> {
    if (!isSdkCall(action)) {
      await session.screen.act(action);
      return undefined;
    }
    const { sdk } = this.#options.machines;
    if (sdk) return sdk.call(action, { session, surfaces: this.#surfaces });
    throw new GyreError('bad_input', 'SDK calls are not available here', {
      field: 'type',
      fix: 'use actions on the screen',
    });
  }

  #started(): Session {
    if (this.#session) return this.#session;
    throw new GyreError('bad_input', 'the environment has not been reset', {
      field: 'environment',
      fix: 'reset it first',
    });
  }
}
