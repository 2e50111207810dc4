import { Action, GyreError } from '@gyre/protocol';
import { z } from 'zod';
import type { CallListener } from './lease.js';
import type { BrowserSurface, Screen } from './session.js';
import { Json } from '../wire/json.js';

const failed = { failed: z.literal(true).optional() };

/** A call that changes the page; a `failed` one must fail again. */
export const Step = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('open'),
    page: z.strictObject({
      html: z.string(),
      script: z.string().optional(),
      argument: Json.optional(),
      seed: z.number(),
    }),
    ...failed,
  }),
  z.strictObject({ do: z.literal('navigate'), url: z.string(), ...failed }),
  z.strictObject({ do: z.literal('act'), action: Action, ...failed }),
  z.strictObject({ do: z.literal('advance'), ms: z.number(), ...failed }),
  z.strictObject({ do: z.literal('evaluate'), expression: z.string(), ...failed }),
]);
export type Step = z.infer<typeof Step>;

const maxSteps = 50_000;
const maxCharacters = 32 * 2 ** 20;

/** Records all actions on a frame-stepped page since it was opened, for an exact replay. */
export class Journal {
  #steps: Step[] = [];
  #characters = 0;
  #full = false;

  readonly hear: CallListener = (method, args, result) => {
    if (!(result instanceof Promise)) return;
    const text = written(method, args);
    if (text === undefined) return;
    // Calls settle in order.
    result.then(
      () => this.#add(text),
      (error: unknown) => {
        if (error instanceof GyreError && error.code === 'bad_input') this.#add(text, true);
      },
    );
  };

  /** Throws `bad_input` if recording was incomplete. */
  get steps(): readonly Step[] {
    if (!this.#full) return [...this.#steps];
    throw new GyreError('bad_input', 'the history of the page is too long to replay, or has calls other than actions', {
      field: 'steps',
      fix: `take a checkpoint at most ${maxSteps} calls and ${maxCharacters} characters after opening the page`,
    });
  }

  #add(text: string, failed?: true): void {
    const parsed = Step.safeParse({ ...(JSON.parse(text) as object), failed });
    // Even a refused call may have redrawn the frame.
    if (!parsed.success) {
      this.#full = true;
      return;
    }
    const step = parsed.data;
    if (step.do === 'open') {
      this.#steps = [];
      this.#characters = 0;
      this.#full = false;
    }
    this.#characters += text.length;
    if (this.#full || this.#steps.length >= maxSteps || this.#characters > maxCharacters) {
      this.#full = true;
      this.#steps = [];
    } else this.#steps.push(step);
  }
}

/** Serializes at once, before arguments can change. */
function written(method: string, [first]: readonly unknown[]): string | undefined {
  switch (method) {
    case 'open':
      return JSON.stringify({ do: 'open', page: first });
    case 'navigate':
      return JSON.stringify({ do: 'navigate', url: first });
    case 'act':
      return JSON.stringify({ do: 'act', action: first });
    case 'advance':
      return JSON.stringify({ do: 'advance', ms: first });
    case 'evaluate':
      return JSON.stringify({ do: 'evaluate', expression: first });
  }
  return undefined;
}

/** Throws `corrupt` if a step ends differently. */
export async function replay(steps: readonly Step[], screen: Screen, browser: BrowserSurface): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const problem = await take(step, screen, browser).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof GyreError && error.code === 'bad_input') return error;
        throw error;
      },
    );
    if ((problem !== undefined) === (step.failed === true)) continue;
    const how = problem ? `failed: ${problem.message}` : 'did not fail as it did in the recording';
    throw new GyreError('corrupt', `step ${index + 1} of ${steps.length} (${step.do}) ${how}`, {
      field: `steps.${index}`,
      fix: 'restore it with the browser that made it',
    });
  }
}

async function take(step: Step, screen: Screen, browser: BrowserSurface): Promise<void> {
  switch (step.do) {
    case 'open':
      return browser.open(step.page);
    case 'navigate':
      return browser.navigate(step.url);
    case 'act':
      return screen.act(step.action);
    case 'advance':
      return browser.advance(step.ms);
    case 'evaluate':
      await browser.evaluate(step.expression);
  }
}
