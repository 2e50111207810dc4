import { randomUUID } from 'node:crypto';
import { Action } from '@gyre/protocol';
import { type Session, type Verifier, browserOf } from '@gyre/sandbox';
import type { TaskInstance } from './family.js';
import {
  type SolvedTurn,
  type TaskState,
  finishTask,
  markTask,
  readInstruction,
  readState,
  solveTurn,
  inMarkedDocument,
} from './pageVerifier.js';

/** Earlier rewards are lost. */
const departed: TaskState = { done: true, success: false, score: 0, reward: 0, evidence: { left: true } };

/**
 * Opens a task's page and returns its verifier, which reads only the isolated world.
 *
 * The task fails once that document is gone: an agent could otherwise play on its own page.
 */
export async function startTask(session: Session, instance: TaskInstance): Promise<Verifier<Action>> {
  const browser = browserOf(session);
  await browser.open(instance.page);
  const mark = randomUUID();
  await browser.evaluate(markTask(mark));
  // Other tabs of the agent may show dialogs.
  const evaluate = <T>(expression: string): Promise<T> =>
    browser.evaluate<T>(inMarkedDocument(mark, expression), { tab: 'first' });
  const read = async (): Promise<TaskState> => (await evaluate<TaskState | null>(readState)) ?? departed;
  const instructed = instance.instructs ? { instruction: await browser.evaluate<string>(readInstruction) } : {};
  let paid = 0;
  return {
    task: { ...instance.task, ...instructed },
    async step(finished) {
      // An open dialog blocks its page until the agent answers it.
      if (!finished && browser.page.asks !== undefined) return { reward: 0, done: false };
      if (finished) await evaluate(finishTask(finished.answer));
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
      const solved = (await evaluate<Action[] | SolvedTurn | null>(solveTurn)) ?? [];
      const turn = Array.isArray(solved) ? { actions: solved } : solved;
      return { ...turn, actions: turn.actions.map((action) => Action.parse(action)) };
    },
  };
}
