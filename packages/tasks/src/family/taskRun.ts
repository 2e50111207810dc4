import { randomUUID } from 'node:crypto';
import { Action, type Task, type Verdict } from '@gyre/protocol';
import { type Session, browserOf } from '@gyre/sandbox';
import type { TaskInstance } from './family.js';
import {
  type SolvedTurn,
  type TaskState,
  finishTask,
  markTask,
  readInstruction,
  readState,
  solveTurn,
  unlessLeft,
} from './verifier.js';

/** A task that is being played in a session. Everything is read from the isolated world, out of the page's and the agent's reach. */
export interface TaskRun {
  readonly task: Task;
  /** What the agent is told, where only the page knows it; the task has it then, too. */
  readonly instruction?: string;
  /**
   * What the actions since the last call earned, and whether the task has ended. Call it once after the actions of a turn, with
   * `finished` where the agent said so in it.
   */
  step(finished?: { readonly answer?: string }): Promise<{ reward: number; done: boolean }>;
  /** How good the state is now, from the verifier; the evidence is the state that was read. */
  verdict(): Promise<Verdict>;
  /** The scripted solution's next turn: its actions, none when the task has ended, and the thought behind them where there is one. */
  oracle(): Promise<SolvedTurn>;
}

/** What a task is worth whose page is gone: what it had earned is lost. */
const left: TaskState = { done: true, success: false, score: 0, reward: 0, evidence: { left: true } };

/**
 * Opens the task's page. The task is over, and failed, once that very document is gone: whoever leaves the page or loads it anew would
 * play on another one, which could be of the agent's own making.
 */
export async function openTask(session: Session, instance: TaskInstance): Promise<TaskRun> {
  const browser = browserOf(session);
  await browser.open(instance.page);
  const mark = randomUUID();
  await browser.evaluate(markTask(mark));
  // Whatever other tabs the agent has opened, and whatever their pages ask.
  const own = <T>(expression: string): Promise<T> =>
    browser.evaluate<T>(unlessLeft(mark, expression), { tab: 'first' });
  const read = async (): Promise<TaskState> => (await own<TaskState | null>(readState)) ?? left;
  const told = instance.instructs ? { instruction: await browser.evaluate<string>(readInstruction) } : {};
  let paid = 0;
  return {
    task: { ...instance.task, ...told },
    ...told,
    async step(finished) {
      // While a dialog is open its page stands still, and goes on when the agent has answered.
      if (!finished && browser.page.asks !== undefined) return { reward: 0, done: false };
      if (finished) await own(finishTask(finished.answer));
      const { reward, done } = await read();
      const earned = reward - paid;
      paid = reward;
      return { reward: earned, done };
    },
    async verdict() {
      const { success, score, evidence } = await read();
      return { success, score, source: 'verifier', evidence };
    },
    async oracle() {
      const solved = (await own<Action[] | SolvedTurn | null>(solveTurn)) ?? [];
      const turn = Array.isArray(solved) ? { actions: solved } : solved;
      return { ...turn, actions: turn.actions.map((action) => Action.parse(action)) };
    },
  };
}
