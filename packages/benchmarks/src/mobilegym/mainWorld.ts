import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { BrowserSurface } from '@gyre/sandbox';
import { z } from 'zod';

const channel = 'gyre-mobilegym';

/** Time per look at a page that waits for its own timers. */
const lookMs = 50;

const Answer = z.union([z.object({ value: z.unknown() }), z.object({ error: z.string() })]);

export interface MainWorldOptions {
  /** Whether the page waits for the network, which needs real time. */
  readonly isBusy: () => boolean;
  readonly timeoutMs: number;
}

/**
 * Evaluates an expression or a function with its argument in the page's own world, as Playwright's `evaluate` does, and
 * awaits it. While it waits for timers, the page's time passes; while it waits for the network, only real time does.
 * Throws `infra` with what it throws, and if it does not end in time.
 */
export async function evaluateInPage(
  browser: BrowserSurface,
  expression: string,
  argument: unknown,
  { isBusy, timeoutMs }: MainWorldOptions,
): Promise<unknown> {
  const program = `(async () => {
    const send = (answer) => document.dispatchEvent(new CustomEvent(${JSON.stringify(channel)}, { detail: JSON.stringify(answer) }));
    try {
      const given = (0, eval)(${JSON.stringify(`(${expression}\n)`)});
      const value = await (typeof given === 'function' ? given(${JSON.stringify(argument ?? null)}) : given);
      send({ value: value ?? null });
    } catch (error) {
      send({ error: String(error) });
    }
  })()`;
  await browser.evaluate(`{
    globalThis.gyreAnswer = null;
    globalThis.gyreListens ??= (document.addEventListener(${JSON.stringify(channel)}, ({ detail }) => { globalThis.gyreAnswer = detail; }), true);
    const script = document.createElement('script');
    script.textContent = ${JSON.stringify(program)};
    document.documentElement.append(script);
    script.remove();
  }`);
  const late = performance.now() + timeoutMs;
  for (;;) {
    const text = await browser.evaluate<string | null>('globalThis.gyreAnswer ?? null');
    if (text !== null) {
      const answer = Answer.parse(JSON.parse(text));
      if ('value' in answer) return answer.value;
      throw pageFault(answer.error);
    }
    if (performance.now() > late) throw pageFault(`no answer within ${timeoutMs / 1_000} s`);
    if (isBusy()) await pause(5);
    else await browser.advance(lookMs);
  }
}

export const pageFault = (message: string) =>
  new GyreError('infra', `the page of MobileGym failed: ${message.slice(0, 500)}`, { part: 'page' });
