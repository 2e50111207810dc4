import {
  type AgentAction,
  EnvironmentWrapper,
  GyreError,
  type StepOptions,
  type StepResult,
  type Task,
  type Verdict,
} from '@gyre/protocol';
import { type BrowserPool, type BrowserSurface, type Session, SessionEnvironment, type Verifier } from '@gyre/sandbox';
import { z } from 'zod';
import type { Bridge } from '../bridge/bridge.js';
import type { Pool } from '../bridge/pool.js';
import { evaluateInPage, pageFault } from './mainWorld.js';
import { actionSeconds, phoneOf, settleNetwork } from './phone.js';
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

const Judged = z.object({
  goal: z.boolean(),
  clean: z.boolean(),
  progress: z.number().min(0).max(1),
  sideEffects: z.array(z.string()),
  failed: z.array(z.string()),
});

/** Named in evidence, of any number. */
const maxNamed = 20;

export interface MobileGymTask {
  /** `wechat.ReadMyWxid`. */
  readonly id: string;
  /** Draws its parameters. */
  readonly seed: number;
}

export interface MobileGymEnvironmentOptions {
  readonly task: Task;
  readonly official: MobileGymTask;
  readonly bridges: Pool<Bridge>;
  readonly browsers: BrowserPool;
  readonly site: Site;
}

/**
 * A task of MobileGym on a page of gyre with a stepped clock, set up and judged by MobileGym's own code. Success is
 * MobileGym's: the agent finishes, the goal is reached, and nothing else has changed. The score is its progress.
 */
export class MobileGymEnvironment extends EnvironmentWrapper {
  readonly #place: { bridge?: Bridge };
  readonly #options: MobileGymEnvironmentOptions;
  readonly #ending: { answer?: string; finished: boolean };

  constructor(options: MobileGymEnvironmentOptions) {
    const { task, official, browsers, site, bridges } = options;
    const place: { bridge?: Bridge } = {};
    const ending: { answer?: string; finished: boolean } = { finished: false };
    const machines = {
      async lease(): Promise<Session> {
        place.bridge ??= await bridges.acquire();
        const terms = { size: task.screen, stepMs: 1_000 * actionSeconds, loadMs: 30_000 };
        const session = await browsers.lease(terms);
        return phoneOf(session, site, async (action) => {
          await drive(place.bridge!, session.browser, site, 'act', action);
        });
      },
    };
    const setUp = async (session: Session): Promise<Verifier> => {
      ending.finished = false;
      delete ending.answer;
      const { bridge } = place;
      const browser = session.browser!;
      const started = await drive(bridge!, browser, site, 'start', {
        task: official.id,
        seed: official.seed,
        url: site.url,
      });
      const { instruction } = z.object({ instruction: z.string().min(1) }).parse(started);
      await settleNetwork(browser, site);
      return {
        task: { ...task, instruction },
        step: () => Promise.resolve({ reward: 0, done: false }),
        async verdict(): Promise<Verdict> {
          const judged = Judged.parse(await drive(bridge!, browser, site, 'judge', { answer: ending.answer ?? null }));
          const { goal, clean, progress, sideEffects, failed } = judged;
          return {
            success: ending.finished && goal && clean,
            score: progress,
            source: 'verifier',
            evidence: {
              official: official.id,
              ...{ goal, progress },
              sideEffects: sideEffects.slice(0, maxNamed),
              failed: failed.slice(0, maxNamed),
            },
          };
        },
        oracle: () =>
          Promise.reject(
            new GyreError('bad_input', 'MobileGym has no scripted solutions', {
              field: '--policy',
              fix: 'use a model or the policy random',
            }),
          ),
      };
    };
    super(new SessionEnvironment({ task, machines, machine: 'browser', setUp }));
    this.#place = place;
    this.#options = options;
    this.#ending = ending;
  }

  override async step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    const result = await super.step(actions, options);
    const finished = result.actions.find((action) => action.type === 'finished');
    if (finished) {
      this.#ending.finished = true;
      if (finished.answer !== undefined) this.#ending.answer = finished.answer;
    }
    return result;
  }

  override async close(): Promise<void> {
    await super.close().catch(() => undefined);
    const { bridge } = this.#place;
    delete this.#place.bridge;
    if (bridge) await this.#options.bridges.release(bridge);
  }
}

/** Calls official code, and does to the page what it asks for, until it ends. */
async function drive(bridge: Bridge, browser: BrowserSurface, site: Site, op: string, terms: object): Promise<unknown> {
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
