import { GyreError } from '@gyre/protocol';
import type { BrowserSurface } from '@gyre/sandbox';
import { z } from 'zod';
import type { Bridge } from '../bridge/bridge.js';
import { evaluateInPage, pageFault } from './mainWorld.js';
import { settleNetwork } from './phone.js';
import type { Site } from './site.js';

const callMs = 120_000;

/** For a page's code, in real time. */
const evaluateMs = 60_000;

const Ask = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('evaluate'), expression: z.string(), argument: z.unknown() }),
  z.object({
    kind: z.literal('wait'),
    expression: z.string(),
    argument: z.unknown(),
    timeoutMs: z.number().positive(),
  }),
  z.object({ kind: z.literal('goto'), url: z.string() }),
  z.object({ kind: z.literal('sleep'), seconds: z.number().min(0).max(60) }),
]);
type Ask = z.infer<typeof Ask>;

const Reply = z.union([z.strictObject({ ask: Ask }), z.strictObject({ result: z.record(z.string(), z.unknown()) })]);

/** Calls official code, and does to the page what it asks for, until it ends. Throws `infra`. */
export async function drive(
  bridge: Bridge,
  browser: BrowserSurface,
  site: Site,
  op: string,
  terms: object,
): Promise<unknown> {
  let reply = await bridge.call(op, terms, Reply, { timeoutMs: callMs });
  while ('ask' in reply) {
    const answer = await obey(browser, site, reply.ask).then(
      (value) => ({ value: value ?? null }),
      (error: unknown) => {
        // The official code knows what to do about a page that fails, and not about a session that is over.
        if (error instanceof GyreError && error.detail.part === 'page') return { error: error.message };
        throw error;
      },
    );
    reply = await bridge.call('answer', answer, Reply, { timeoutMs: callMs });
  }
  return reply.result;
}

async function obey(browser: BrowserSurface, site: Site, ask: Ask): Promise<unknown> {
  const options = { isBusy: () => site.isBusy, timeoutMs: evaluateMs };
  switch (ask.kind) {
    case 'evaluate':
      return evaluateInPage(browser, ask.expression, ask.argument, options);
    case 'wait': {
      const late = performance.now() + ask.timeoutMs;
      while (!(await evaluateInPage(browser, ask.expression, ask.argument, options))) {
        if (performance.now() > late) throw pageFault(`${ask.expression} is not so within ${ask.timeoutMs / 1_000} s`);
        await settleNetwork(browser, site);
      }
      return undefined;
    }
    case 'goto':
      await browser.navigate(ask.url);
      return undefined;
    case 'sleep':
      await browser.advance(1_000 * ask.seconds);
      await settleNetwork(browser, site);
      return undefined;
  }
}
