import { ChatModel } from '@gyre/engine';
import { Action } from '@gyre/protocol';
import { z } from 'zod';
import type { AnyFamily } from '../family/family.js';
import type { JudgeOptions } from '../family/judgement.js';
import type { PolicyAttack } from './attack.js';
import { type GuessResult, guessResult } from './guesses.js';
import { type AttackTargets, playAttacks } from './playAttack.js';

const prompt = `You are given the description of a task in a graphical user interface. You cannot see the screen. Solve it as well as you can from the description alone: guess.
Reply with one JSON array of actions and nothing else. Points are fractions of the screen. The actions are
{"type":"click","point":{"x":0.5,"y":0.5}}, {"type":"type","text":"abc"}, {"type":"hotkey","keys":"ctrl s"}, {"type":"wait"} and, at the end, {"type":"finished","answer":"..."}, with an answer if the task asks a question.`;

/**
 * Lets a text model play tasks from their descriptions, one turn per action. A family fails if that succeeds
 * significantly more often than its declared chance.
 *
 * @param tasks number of tasks, from `seed` on
 * @throws GyreError `infra` if the server fails
 */
export async function playBlind(
  targets: AttackTargets,
  family: AnyFamily,
  seed: number,
  tasks: number,
  options: JudgeOptions,
): Promise<GuessResult> {
  const attack = blindAttack(new ChatModel({ ...options, tokens: false }));
  let successes = 0;
  for (let index = 0; index < tasks; index++) {
    const [result] = await playAttacks(targets, family, seed + index, [attack]);
    if (result?.success) successes++;
  }
  return guessResult(family, `the model ${options.model}, from the description alone`, successes, tasks, 1);
}

function blindAttack(model: ChatModel): PolicyAttack {
  return {
    name: 'a model that sees the description only',
    on: ['page', 'browser machine', 'desktop'],
    turns: async ({ instruction }) => {
      const messages = [
        { role: 'system' as const, content: prompt },
        { role: 'user' as const, content: instruction },
      ];
      const { text } = await model.complete(messages, 0);
      return actionsIn(text).map((action) => [action]);
    },
  };
}

/** Takes a reply that is no array of actions for an answer. */
function actionsIn(reply: string): Action[] {
  const text = /\[.*\]/s.exec(reply)?.[0] ?? '';
  try {
    return z.array(Action).parse(JSON.parse(text));
  } catch {
    return [{ type: 'finished', answer: reply.trim() }];
  }
}
