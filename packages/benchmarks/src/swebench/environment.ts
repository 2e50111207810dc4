import { placeholderFrame } from '@gyre/agent';
import { EnvironmentWrapper, type Frame, GyreError, type ResetOptions, type Task, type Verdict } from '@gyre/protocol';
import type { Sandbox, SandboxSession } from '@gyre/sandbox';
import { z } from 'zod';
import type { Bridge } from '../bridge/bridge.js';
import { notReset } from '../bridge/notReset.js';
import type { Pool } from '../bridge/pool.js';
import { type Command, CommandEnvironment, type CommandResult } from '../harbor/commandEnvironment.js';
import type { SwebenchInstance } from './instance.js';
import { evaluate, type EvaluationPlan, headOf, patchOf, workdir } from './repository.js';
import type { Prediction, SwebenchResults } from './results.js';

const gradeMs = 120_000;

/** As SWE-bench's own runs. */
const evaluationMs = 1_800_000;

/** Copies of roots are mounted, after the sessions before have ended. */
const waitMs = 120_000;

const Plan = z.object({ script: z.string(), assets: z.boolean() });
const Report = z.looseObject({
  resolved: z.boolean(),
  patch_successfully_applied: z.boolean(),
  infra_failure_reason: z.string().optional(),
});

export interface SwebenchEnvironmentOptions {
  readonly task: Task;
  readonly official: SwebenchInstance;
  /** Unpacked root file system. */
  readonly root: string;
  readonly sandbox: Sandbox;
  readonly bridges: Pool<Bridge>;
  readonly results: SwebenchResults;
  readonly player: string;
  readonly applying: Pick<EvaluationPlan, 'patchFile' | 'applyCommands'>;
}

/**
 * An instance of SWE-bench: the agent has a shell in a root file system of its own, with the repository. Its changes are
 * the prediction, which SWE-bench's script tests in a fresh session and SWE-bench grades.
 */
export class SwebenchEnvironment extends EnvironmentWrapper {
  readonly #options: SwebenchEnvironmentOptions;
  readonly #place: { session?: SandboxSession<'shell'> | undefined };
  #base: string | undefined;

  constructor(options: SwebenchEnvironmentOptions) {
    const place: { session?: SandboxSession<'shell'> } = {};
    super(
      new CommandEnvironment({
        task: options.task,
        frame: placeholderFrame,
        run: (command) => runIn(place.session, command),
      }),
    );
    this.#options = options;
    this.#place = place;
  }

  override async reset(options?: ResetOptions): Promise<Frame> {
    await this.#release();
    const { root } = this.#options;
    this.#place.session = await this.#lease();
    this.#base = await headOf(this.#place.session, root);
    return super.reset(options);
  }

  /** Throws `infra` if a session or the official code fails. A patch that is empty or does not apply is a failure. */
  override async verdict(): Promise<Verdict> {
    const { official, player, results } = this.#options;
    const { session } = this.#place;
    if (!session || this.#base === undefined) throw notReset();
    const patch = await patchOf(session, this.#base);
    const prediction = { instance_id: official.instance_id, model_name_or_path: player, model_patch: patch ?? '' };
    // The machine need not hold two.
    await this.#release();
    await results.add(prediction);
    const evidence = await this.#grade(prediction, patch);
    const success = evidence.resolved === true;
    return { success, score: Number(success), source: 'verifier', evidence };
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#release();
  }

  async #grade(prediction: Prediction, patch: string | undefined): Promise<Record<string, unknown>> {
    const evidence = { official: prediction.instance_id, patch: prediction.model_patch };
    if (patch === undefined) return { ...evidence, failure: 'the repository was broken' };
    // SWE-bench runs no tests of it either.
    if (patch.trim() === '') return { ...evidence, failure: 'the patch is empty' };
    const { official: instance, bridges, results, applying } = this.#options;
    const bridge = await bridges.acquire();
    try {
      const { script, assets } = await bridge.call('plan', { instance }, Plan, { timeoutMs: gradeMs });
      if (assets) throw needsAssets(prediction.instance_id);
      await results.log(prediction, { 'patch.diff': patch, 'eval.sh': script });
      const { applied, log, timedOut } = await this.#evaluate(patch, { ...applying, script, timeoutMs: evaluationMs });
      if (!applied) return { ...evidence, failure: 'the patch does not apply' };
      await results.log(prediction, { 'test_output.txt': log });
      // No report, as SWE-bench: its own counts it as an error.
      if (timedOut) return { ...evidence, failure: 'the tests timed out' };
      const terms = { instance, prediction, run: results.run };
      const report = await bridge.call('grade', terms, Report, { timeoutMs: gradeMs });
      const reason = report.infra_failure_reason;
      return { ...evidence, resolved: report.resolved, ...(reason !== undefined && { reason }) };
    } finally {
      await bridges.release(bridge);
    }
  }

  async #evaluate(patch: string, plan: EvaluationPlan) {
    const session = await this.#lease();
    try {
      return await evaluate(session, patch, plan);
    } finally {
      await session.release().catch(() => undefined);
    }
  }

  #lease(): Promise<SandboxSession<'shell'>> {
    const { sandbox, root } = this.#options;
    return sandbox.lease({ kind: 'shell', root, waitMs, ttlMs: 2 ** 31 - 1 });
  }

  async #release(): Promise<void> {
    const { session } = this.#place;
    this.#place.session = undefined;
    this.#base = undefined;
    await session?.release().catch(() => undefined);
  }
}

const needsAssets = (id: string): GyreError =>
  new GyreError('infra', `the tests of ${id} need binary files that only SWE-bench's own program downloads`, {
    part: 'shell',
    fix: 'grade its line of predictions.jsonl by run_evaluation of SWE-bench',
  });

/** Throws `infra` if the session fails. */
async function runIn(
  session: SandboxSession<'shell'> | undefined,
  { command, cwd, seconds }: Command,
): Promise<CommandResult> {
  if (!session) throw notReset();
  const options = { cwd: cwd ?? workdir, timeoutMs: seconds * 1_000 };
  const { stdout, stderr, exitCode, timedOut } = await session.shell.run(command, options);
  return { stdout, stderr, code: timedOut ? 124 : (exitCode ?? 128) };
}
