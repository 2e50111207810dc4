import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AgentAction,
  EnvironmentWrapper,
  type Frame,
  type ResetOptions,
  type StepOptions,
  type StepResult,
  type Task,
  type Verdict,
} from '@gyre/protocol';
import { browserOf, type HarRecording, recordHar, type Session, SessionEnvironment } from '@gyre/sandbox';
import { z } from 'zod';
import type { Bridge } from '../bridge/bridge.js';
import { notReset } from '../bridge/notReset.js';
import { openSite, preparedMachines } from '../bridge/openSite.js';
import type { Pool } from '../bridge/pool.js';

const finishMs = 120_000;

const Finished = z.object({
  score: z.number(),
  evaluators: z.array(z.object({ name: z.string(), score: z.number() })),
});

/** A task of WebArena-Verified, its addresses those of the configuration. */
export interface VerifiedTask {
  readonly id: number;
  readonly intent: string;
  readonly urls: readonly string[];
}

export interface WebarenaEnvironmentOptions {
  readonly task: Task;
  readonly official: VerifiedTask;
  /** Leases a browser that reaches the sites. */
  readonly lease: (task: Task) => Promise<Session>;
  readonly bridges: Pool<Bridge>;
  /** Folder of the official files of every task. */
  readonly results: string;
}

interface Place {
  recording?: HarRecording;
}

/** A task in a browser of gyre, whose network is recorded. WebArena-Verified judges the recording and the answer. */
export class WebarenaEnvironment extends EnvironmentWrapper {
  readonly #options: WebarenaEnvironmentOptions;
  readonly #place: Place;
  #answer: string | undefined;

  constructor(options: WebarenaEnvironmentOptions) {
    const { task, official, lease } = options;
    const place: Place = {};
    const machines = preparedMachines(
      () => lease(task),
      async (session) => {
        place.recording = await recordHar(browserOf(session));
        for (const [index, url] of official.urls.entries()) {
          if (index > 0) await session.screen.act({ type: 'hotkey', keys: 'ctrl t' });
          await openSite(session, url);
        }
      },
    );
    super(new SessionEnvironment({ task, machines, machine: 'browser' }));
    this.#options = options;
    this.#place = place;
  }

  override async reset(options?: ResetOptions): Promise<Frame> {
    this.#answer = undefined;
    return super.reset(options);
  }

  override async step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    const result = await super.step(actions, options);
    const last = result.actions.at(-1);
    if (last?.type === 'finished') this.#answer = last.answer;
    return result;
  }

  /** Throws `infra` for an exception of the official code, or a browser that is gone. */
  override async verdict(): Promise<Verdict> {
    const { official, bridges, results } = this.#options;
    const { recording } = this.#place;
    if (!recording) throw notReset();
    const folder = join(results, `${official.id}`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'network.har'), JSON.stringify(await recording.read()));
    await writeFile(join(folder, 'agent_response.json'), this.#answer ?? 'null');
    const bridge = await bridges.acquire();
    try {
      const terms = { id: official.id, folder };
      const { score, evaluators } = await bridge.call('finish', terms, Finished, { timeoutMs: finishMs });
      const evidence = { official: official.id, score, evaluators, answer: this.#answer ?? null };
      return { success: score >= 1, score: Math.min(1, Math.max(0, score)), source: 'verifier', evidence };
    } finally {
      await bridges.release(bridge);
    }
  }
}
