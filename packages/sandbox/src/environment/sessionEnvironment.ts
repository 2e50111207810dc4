import {
  type Advice,
  AgentAction,
  carryOut,
  type Environment,
  type Frame,
  GyreError,
  type Holder,
  isSdkCall,
  type OfferedTool,
  type OracleTurn,
  type PixelBox,
  type Point,
  type Reading,
  type ResetOptions,
  type StepOptions,
  type StepResult,
  type Surface,
  type Task,
  type Verdict,
  pointsOf,
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
  /** Reads the text of every observation. Default: none. */
  readonly read?: ((session: Session, frame: Frame) => Promise<Reading | undefined>) | undefined;
  /** Returns the box of the element at each point, before a turn's actions are carried out. Default: none. */
  readonly locate?: ((session: Session, points: readonly Point[]) => Promise<(PixelBox | null)[]>) | undefined;
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
    return this.#observe(session);
  }

  async step(actions: readonly AgentAction[], { onObservation }: StepOptions = {}): Promise<StepResult> {
    const session = this.#started();
    const boxes = await this.#locate(session, actions);
    const { ended, ...carried } = await carryOut(actions, (action) => this.#act(session, action));
    const frame = await session.screen.observe();
    const notices = session.screen.notices?.() ?? [];
    onObservation?.(frame);
    const observation = await this.#read(session, frame);
    const results = [...carried.results, ...notices.map((text) => ({ kind: 'notice' as const, text }))];
    const finished = carried.actions.find((action) => action.type === 'finished');
    const { reward, done } = (await this.#verifier?.step(finished)) ?? { reward: 0, done: false };
    // An action that was not attempted has no target.
    const targets = boxes?.slice(0, carried.actions.flatMap(pointsOf).length);
    return { ...carried, results, observation, reward, done: done || ended, ...(targets && { targets }) };
  }

  async observe(): Promise<Frame> {
    return this.#observe(this.#started());
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

  /** Has none for an open dialog, which the oracle would cancel, nor where its script fails. */
  async advise(): Promise<Advice | undefined> {
    const session = this.#started();
    if (!this.#verifier || session.browser?.page.asks !== undefined) return undefined;
    try {
      const actions = [...(await this.#verifier.oracle()).actions];
      const targets = await this.#locate(session, actions);
      return { actions, ...(targets && { targets }) };
    } catch (error) {
      if (error instanceof GyreError && error.code === 'bad_input') return undefined;
      throw error;
    }
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

  async #observe(session: Session): Promise<Frame> {
    return this.#read(session, await session.screen.observe());
  }

  async #read(session: Session, frame: Frame): Promise<Frame> {
    const reading = await this.#options.read?.(session, frame);
    return reading ? { ...frame, reading } : frame;
  }

  async #locate(session: Session, actions: readonly AgentAction[]): Promise<(PixelBox | null)[] | undefined> {
    const { locate } = this.#options;
    if (!locate) return undefined;
    const malformed = actions.findIndex((action) => !AgentAction.safeParse(action).success);
    const points = actions.slice(0, malformed < 0 ? actions.length : malformed).flatMap(pointsOf);
    return points.length === 0 ? [] : locate(session, points);
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
