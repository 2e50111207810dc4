import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { scheduledRate } from '../algorithms/schedule.js';
import { type Lesson, NetworkTrainer } from './networkTrainer.js';

export interface ReaderStep {
  readonly step: number;
  readonly losses: Readonly<Record<string, number>>;
}

export interface ReaderStage {
  /** Holds the checkpoint, the exported weights and the log. */
  readonly folder: string;
  /** Name of the files. */
  readonly part: 'recogniser' | 'detector';
  readonly lesson: Lesson;
  /** Weights that the first step starts from, as exported; without them it starts from random ones. */
  readonly from?: string | undefined;
  readonly seed: number;
  readonly schedule: { readonly steps: number; readonly peak: number; readonly warmup: number; readonly decay: number };
  readonly threads: number;
  readonly saveEvery: number;
  /** Scores of the exported weights, logged whenever they are saved. */
  readonly evaluate: (weights: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly onStep?: (step: ReaderStep) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Continues from the last checkpoint. Returns the steps done. */
export async function trainReaderPart(stage: ReaderStage): Promise<number> {
  const { folder, part, lesson, from, seed, schedule, threads, signal } = stage;
  await mkdir(folder, { recursive: true });
  const checkpoint = join(folder, `${part}.ckpt.safetensors`);
  const weights = join(folder, `${part}.safetensors`);
  const trainer = await NetworkTrainer.open(lesson, { seed, threads, checkpoint, from });
  const { steps, peak, warmup, decay } = schedule;
  const started = { at: performance.now(), cpu: process.cpuUsage() };
  let sums: Record<string, number> = {};
  let counted = 0;
  const save = async (): Promise<void> => {
    await trainer.save(checkpoint);
    await trainer.export(weights);
    const { user, system } = process.cpuUsage(started.cpu);
    const record = {
      part,
      step: trainer.steps,
      seconds: Math.round((performance.now() - started.at) / 1000),
      cpuSeconds: Math.round((user + system) / 1e6),
      losses: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, rounded(sum / counted)])),
      ...(await stage.evaluate(weights)),
    };
    await appendFile(join(folder, 'log.jsonl'), `${JSON.stringify(record)}\n`);
    sums = {};
    counted = 0;
  };
  try {
    while (trainer.steps < steps && !signal?.aborted) {
      const decayFrom = Math.max(0, 1 - decay / steps);
      const losses = await trainer.step(scheduledRate(trainer.steps, { peak, warmup, steps, decayFrom, floor: 0.02 }));
      for (const [name, value] of Object.entries(losses)) sums[name] = (sums[name] ?? 0) + value;
      counted++;
      stage.onStep?.({ step: trainer.steps, losses });
      if (trainer.steps % stage.saveEvery === 0) await save();
    }
    if (counted > 0) await save();
    return trainer.steps;
  } finally {
    await trainer.close();
  }
}

const rounded = (value: number): number => Number(value.toPrecision(4));
