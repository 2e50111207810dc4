import { type Action, GyreError, type Task } from '@gyre/protocol';
import { type Session, type Verifier, browserOf } from '@gyre/sandbox';
import { sameAnswer } from '../apps/page/judge.js';
import type { Condition } from './candidate.js';

const seen = `({ address: location.href, text: document.body?.innerText ?? '', fields: [...document.querySelectorAll('input,textarea,select')].map(({ value }) => value) })`;

/** Judges a task by the page's visible content after each step. */
export function pageRun(
  session: Session,
  task: Task,
  condition: Exclude<Condition, { kind: 'changes' }>,
): Verifier<Action> {
  let answer: string | undefined;
  let ended = false;
  let paid = false;
  const holds = async (): Promise<boolean> => {
    if (condition.kind === 'answer') return answer !== undefined && sameAnswer(answer, condition.answer);
    const page = await browserOf(session).evaluate<{ address: string; text: string; fields: string[] }>(seen);
    const text = flat([page.text, ...page.fields].join('\n'));
    return page.address.includes(condition.address ?? '') && condition.texts.every((one) => text.includes(flat(one)));
  };
  return {
    task,
    async step(finished) {
      if (finished) [answer, ended] = [finished.answer, true];
      const success = await holds();
      const reward = success && !paid ? 1 : 0;
      paid ||= success;
      return { reward, done: ended || success };
    },
    async verdict() {
      const success = await holds();
      return { success, score: success ? 1 : 0, source: 'verifier', evidence: { condition, answer: answer ?? null } };
    },
    oracle: () =>
      Promise.reject(
        new GyreError('bad_input', 'a web page has no scripted solution', {
          field: 'policy',
          fix: 'use a model as the policy',
        }),
      ),
  };
}

const flat = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
