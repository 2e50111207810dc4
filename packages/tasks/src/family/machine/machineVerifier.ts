import { setTimeout as pause } from 'node:timers/promises';
import { GyreError, type OracleTurn, type Task, type Verdict } from '@gyre/protocol';
import { machineOf, type SandboxSession, type Session, type Verifier } from '@gyre/sandbox';
import { Evidence } from './evidence.js';
import { prepare } from './prepare.js';
import type { MachineInstance } from './setUp.js';
import type { Drawn, ScriptedTurn } from './template.js';

/** Maximum wait of the oracle for programs, and its polling interval, in ms. */
const patienceMs = 30_000;
const lookMs = 50;

const steadyMs = 250;

const patience: ScriptedTurn = {
  thought: 'All is done; wait until it has its effect.',
  actions: [{ type: 'wait', seconds: 0.5 }],
};

/** Sets a machine up and returns an external verifier: the machine never holds the expected result. */
export async function startMachine(
  session: Session,
  { task, setup }: MachineInstance,
  drawn: Drawn,
): Promise<Verifier> {
  const machine = machineOf(session);
  await prepare(machine, setup);
  return new MachineVerifier(task, machine, drawn).begun();
}

interface State {
  readonly parts: Record<string, boolean>;
  readonly success: boolean;
}

/**
 * Half of the reward is for parts that become right, revoked when wrong again; the other half for all of them. Ends
 * when all are right or the agent finishes. An untouched machine scores 0.
 */
class MachineVerifier implements Verifier {
  readonly #evidence: Evidence;
  #rightAtStart = 0;
  #paid = 0;
  #turn = 0;

  constructor(
    readonly task: Task,
    readonly machine: SandboxSession,
    readonly drawn: Drawn,
  ) {
    this.#evidence = new Evidence(machine);
  }

  async begun(): Promise<this> {
    await this.#evidence.begin();
    this.#rightAtStart = right(await this.#state());
    return this;
  }

  async step(finished?: { readonly answer?: string | undefined }): Promise<{ reward: number; done: boolean }> {
    if (finished) this.#evidence.finish(finished.answer);
    // An open dialog blocks its page until the agent answers it.
    else if (this.machine.browser?.page.asks !== undefined) return { reward: 0, done: false };
    await this.drawn.attend?.(this.#evidence);
    const state = await this.#state();
    const share = (right(state) - this.#rightAtStart) / (2 * Object.keys(state.parts).length);
    const due = share + (state.success ? 0.5 : 0);
    const reward = due - this.#paid;
    this.#paid = due;
    return { reward, done: state.success || finished !== undefined };
  }

  async verdict(): Promise<Verdict> {
    const state = await this.#state();
    const total = Object.keys(state.parts).length;
    const gained = Math.max(0, right(state) - this.#rightAtStart) / Math.max(1, total - this.#rightAtStart);
    const score = state.success ? 1 : Math.min(gained, 1 - 1 / (2 * total));
    return { success: state.success, score, source: 'verifier', evidence: this.#evidenceOf(state) };
  }

  /** Alternates between waiting and `again` after the script. */
  async oracle(): Promise<OracleTurn> {
    if ((await this.#state()).success) return { actions: [] };
    const { script, again = [] } = this.drawn;
    const after = this.#turn - script.length;
    const turn = script[this.#turn] ?? [patience, ...again][after % (again.length + 1)] ?? patience;
    await this.#ready(turn);
    this.#turn++;
    const actions = typeof turn.actions === 'function' ? await turn.actions(this.machine) : turn.actions;
    return { thought: turn.thought, actions };
  }

  #evidenceOf({ parts }: State): Verdict['evidence'] {
    return this.machine.apart ? { parts } : { parts, apart: false };
  }

  async #ready({ when, thought }: ScriptedTurn): Promise<void> {
    if (when === undefined) return;
    for (const limit = performance.now() + patienceMs; !(await when(this.machine));) {
      if (performance.now() > limit) {
        throw new GyreError('infra', `a program was not ready for: ${thought}`, {
          part: 'machine',
          field: 'session',
          fix: 'check the screen',
        });
      }
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  /** Success must hold briefly: programs pass through unintended states. */
  async #state(): Promise<State> {
    const state = await this.#look();
    if (!state.success) return state;
    await pause(steadyMs);
    return this.#look();
  }

  async #look(): Promise<State> {
    const parts = await this.drawn.judge(this.#evidence);
    return { parts, success: Object.values(parts).every(Boolean) };
  }
}

const right = ({ parts }: State) => Object.values(parts).filter(Boolean).length;
