import { EnvironmentWrapper, GyreError, type Task, type Verdict } from '@gyre/protocol';
import { type BrowserPool, type Session, SessionEnvironment, type Verifier } from '@gyre/sandbox';
import { z } from 'zod';
import type { Bridge } from '../bridge/bridge.js';
import type { Pool } from '../bridge/pool.js';
import { drive } from './drive.js';
import { actionSeconds, phoneOf, settleNetwork } from './phone.js';
import type { Site } from './site.js';

/** Includes fetching the apps' data. */
const loadMs = 30_000;

const Started = z.object({ instruction: z.string().min(1) });

const Judged = z.object({
  goal: z.boolean(),
  clean: z.boolean(),
  progress: z.number().min(0).max(1),
  sideEffects: z.array(z.string()),
  failed: z.array(z.string()),
});

/** The most that evidence names. */
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
 * MobileGym's: the agent finishes, the goal is reached, and nothing else has changed. The score is its progress. A
 * finished episode is paid half of its progress, and half for success.
 */
export class MobileGymEnvironment extends EnvironmentWrapper {
  readonly #place: { bridge?: Bridge };
  readonly #bridges: Pool<Bridge>;

  constructor({ task, official, browsers, site, bridges }: MobileGymEnvironmentOptions) {
    const place: { bridge?: Bridge } = {};
    const call = (session: Session, op: string, terms: object) =>
      drive(place.bridge!, session.browser!, site, op, terms);
    const machines = {
      async lease(): Promise<Session> {
        place.bridge ??= await bridges.acquire();
        const session = await browsers.lease({ size: task.screen, stepMs: 1_000 * actionSeconds, loadMs });
        return phoneOf(session, site, async (action) => {
          await call(session, 'act', action);
        });
      },
    };
    const setUp = async (session: Session): Promise<Verifier> => {
      const started = await call(session, 'start', { task: official.id, seed: official.seed, url: site.url });
      await settleNetwork(session.browser!, site);
      const judge = async (answer: string | undefined) =>
        Judged.parse(await call(session, 'judge', { answer: answer ?? null }));
      return verifierOf({ ...task, ...Started.parse(started) }, official.id, judge);
    };
    super(new SessionEnvironment({ task, machines, machine: 'browser', setUp }));
    this.#place = place;
    this.#bridges = bridges;
  }

  override async close(): Promise<void> {
    await super.close().catch(() => undefined);
    const { bridge } = this.#place;
    delete this.#place.bridge;
    if (bridge) await this.#bridges.release(bridge);
  }
}

function verifierOf(
  task: Task,
  official: string,
  judge: (answer: string | undefined) => Promise<z.infer<typeof Judged>>,
): Verifier {
  let ending: { readonly answer?: string | undefined } | undefined;
  const verdict = async (): Promise<Verdict> => {
    const { goal, clean, progress, sideEffects, failed } = await judge(ending?.answer);
    const changes = { sideEffects: sideEffects.slice(0, maxNamed), failed: failed.slice(0, maxNamed) };
    return {
      success: ending !== undefined && goal && clean,
      score: progress,
      source: 'verifier',
      evidence: { official, goal, progress, ...changes },
    };
  };
  return {
    task,
    async step(finished) {
      if (!finished) return { reward: 0, done: false };
      ending = finished;
      const { success, score } = await verdict();
      return { reward: score / 2 + (success ? 0.5 : 0), done: true };
    },
    verdict,
    oracle: () =>
      Promise.reject(
        new GyreError('bad_input', 'MobileGym has no scripted solutions', {
          field: '--policy',
          fix: 'use a model or the policy random',
        }),
      ),
  };
}
