import type { Session } from '@gyre/sandbox';
import { z } from 'zod';
import { Candidate, type Proof, type SynthesisedTask } from './candidate.js';
import { Duplicates } from './duplicates.js';
import { type View, explore } from './explore.js';
import { type Place, type Trial, budgetOf } from './place.js';
import { prompts, promptsVersion } from './prompts.js';
import { type SynthModel, ask, askFor } from './synthModel.js';

/** In the order of the checks. */
export const rejectionReasons = {
  malformed: 'the task or an answer about it did not match its schema, twice',
  tooSimple: 'the task uses one function once',
  unfit: 'the condition does not match the state',
  trueAtStart: 'the condition already holds at the start',
  unclear: 'the wording cannot be fixed',
  unverifiable: 'the wording and the condition differ',
  duplicate: 'the wording or the goal duplicates another task',
  unproved: 'no attempt met the condition; stored separately',
} as const;
export type RejectionReason = keyof typeof rejectionReasons;

/** Every composed task is lost or kept, except after an abort. */
export interface Funnel {
  views: number;
  functions: number;
  /** `explore` and `compose` answers malformed twice. */
  malformedAnswers: number;
  composed: number;
  lost: Record<RejectionReason, number>;
  // eslint-disable-next-line gyre/vague-name -- a key of --json
  kept: number;
}

export interface SynthesisOptions {
  readonly place: Place;
  readonly model: SynthModel;
  /** Released after use. */
  readonly lease: () => Promise<Session>;
  readonly prove: (trial: Trial) => Promise<Proof>;
  readonly count: number;
  /** Default 6. */
  readonly views?: number;
  /** Existing tasks, for deduplication. */
  readonly known?: readonly SynthesisedTask[];
  /** `2026-05-01`. */
  readonly date: string;
  readonly signal?: AbortSignal;
  /** `share` is 0..1. */
  readonly onProgress?: (share: number, note: string) => void;
  readonly onTask?: (task: SynthesisedTask, proved: boolean) => void;
}

export interface Synthesis {
  readonly tasks: SynthesisedTask[];
  readonly unproved: SynthesisedTask[];
  readonly funnel: Funnel;
  readonly dropped: { instruction: string; loss: RejectionReason; why: string }[];
  readonly site: { fit: Fit; why: string };
}

const Fit = z.enum(['good', 'login', 'static', 'game', 'broken']);
type Fit = z.infer<typeof Fit>;
const Extracted = z.object({
  fit: Fit,
  why: z.string(),
  functions: z.array(z.object({ name: z.string().min(1), does: z.string(), where: z.string() })),
});
const Composed = z.object({ tasks: z.array(z.unknown()) });
const Refined = z.object({ instruction: Candidate.shape.instruction.nullable(), why: z.string().default('') });
const Verified = z.object({ verifiable: z.boolean(), why: z.string().default('') });

/** Tasks per request: many servers truncate longer answers. */
const atOnce = 10;

const licence =
  "The wording is output of the model named in provenance, under that model's terms. Data of gyre's apps is under Apache-2.0; data of web pages belongs to their owners.";

/**
 * Synthesises tasks (UI-TARS-2 report, section 2.5.1): explores, extracts core functions, composes and refines tasks,
 * checks that success is decidable, drops duplicates, and keeps those a trial solved. An abort between tasks returns
 * the results so far.
 *
 * @throws GyreError from the model, the sessions and `prove`; `bad_input` without a described first screen or
 * functions.
 */
export async function synthesise(options: SynthesisOptions): Promise<Synthesis> {
  const { place, model, count, signal, onProgress = () => undefined } = options;
  const lost = Object.fromEntries(Object.keys(rejectionReasons).map((loss) => [loss, 0])) as Record<
    RejectionReason,
    number
  >;
  const funnel: Funnel = { views: 0, functions: 0, malformedAnswers: 0, composed: 0, lost, kept: 0 };
  const synthesis: Synthesis = {
    tasks: [],
    unproved: [],
    funnel,
    dropped: [],
    site: { fit: 'good', why: '' },
  };
  const lose = (loss: RejectionReason, instruction: string, why: string) => {
    lost[loss]++;
    synthesis.dropped.push({ instruction, loss, why });
  };

  onProgress(0, 'exploring');
  const views = await lookAround(options, funnel);
  const { functions, ...site } = await extract(options, views);
  Object.assign(synthesis.site, site);
  funnel.functions = functions.length;
  if (site.fit !== 'good') return synthesis;

  onProgress(0.1, `composing tasks from ${functions.length} functions`);
  const composed = await compose(options, views, JSON.stringify(functions), funnel);
  funnel.composed = composed.length;
  const duplicates = new Duplicates();
  for (const task of options.known ?? []) duplicates.take(task.place, task);
  const provenance = {
    model: model.name,
    recorded: model.recorded,
    promptsVersion,
    screenshots: views.map(({ hash }) => hash),
    date: options.date,
  };

  for (const [index, item] of composed.entries()) {
    if (signal?.aborted) break;
    onProgress(0.2 + (0.8 * index) / composed.length, `task ${index + 1} of ${composed.length}, ${funnel.kept} kept`);
    const read = Candidate.safeParse(item);
    if (!read.success) {
      const [issue] = read.error.issues;
      lose('malformed', instructionIn(item), `${issue?.path.join('.')}: ${issue?.message}`);
      continue;
    }
    const filtered = await filter(options, read.data, views);
    if ('loss' in filtered) {
      lose(filtered.loss, read.data.instruction, filtered.why);
      continue;
    }
    const { candidate, trial } = filtered;
    if (!duplicates.take(place.name, candidate)) {
      lose('duplicate', candidate.instruction, rejectionReasons.duplicate);
      continue;
    }
    const proof = await options.prove(trial);
    // An aborted trial proves nothing.
    if (signal?.aborted && proof.successes === 0) break;
    const task: SynthesisedTask = {
      place: place.name,
      ...(place.start !== undefined && { start: place.start }),
      ...{ ...candidate, stepBudget: budgetOf(candidate), proof, provenance, licence },
    };
    options.onTask?.(task, proof.successes > 0);
    if (proof.successes > 0) {
      synthesis.tasks.push(task);
      funnel.kept++;
    } else {
      synthesis.unproved.push(task);
      lose('unproved', candidate.instruction, `attempts of ${proof.policy}: ${proof.tries}`);
    }
  }
  onProgress(1, `${funnel.kept} of ${count} kept`);
  return synthesis;
}

async function lookAround(options: SynthesisOptions, funnel: Funnel): Promise<View[]> {
  const session = await options.lease();
  try {
    const { place, model, views: maxViews = 6, signal } = options;
    const { views, malformed } = await explore(place, model, session, maxViews, signal);
    funnel.views = views.length;
    funnel.malformedAnswers += malformed;
    return views;
  } finally {
    await session.release();
  }
}

function extract({ place, model, signal }: SynthesisOptions, views: readonly View[]) {
  const notes = views.map(({ text }, index) => `${index + 1}. ${text}`).join('\n');
  const subject = 'app' in place.name ? `the app "${place.name.app}"` : `the page ${place.name.url}`;
  return askFor(
    model,
    {
      step: 'extract',
      prompt: prompts.extract,
      text: `This is ${subject}. Your notes, one for each picture:\n${notes}`,
      pictures: views.map(({ png }) => png),
      schema: Extracted,
    },
    signal,
  );
}

async function compose(
  { place, model, count, signal }: SynthesisOptions,
  views: readonly View[],
  functions: string,
  funnel: Funnel,
): Promise<unknown[]> {
  const tasks: unknown[] = [];
  for (let requested = 0; requested < count && !signal?.aborted; requested += atOnce) {
    const already = tasks.length === 0 ? '' : `\nThere are already:\n${tasks.map(instructionIn).join('\n')}`;
    const batchSize = Math.min(atOnce, count - requested);
    const text = `${place.description}\n\n${place.conditions}\n\nIts functions: ${functions}${already}\n\nWrite ${batchSize} tasks.`;
    const pictures = views.map(({ png }) => png);
    const question = { step: 'compose' as const, prompt: prompts.compose, text, pictures, schema: Composed };
    const answered = await ask(model, question, signal);
    if ('value' in answered) tasks.push(...answered.value.tasks.slice(0, batchSize));
    else funnel.malformedAnswers++;
  }
  return tasks;
}

async function filter(
  options: SynthesisOptions,
  composed: Candidate,
  [first]: readonly View[],
): Promise<{ candidate: Candidate; trial: Trial } | { loss: RejectionReason; why: string }> {
  const { place, model, signal } = options;
  const { functions, steps, condition } = composed;
  // A single function is complex enough with several steps.
  if (new Set(functions).size < 2 && steps.length < 4) return { loss: 'tooSimple', why: rejectionReasons.tooSimple };
  const fits = place.trial(composed);
  if ('unfit' in fits) return { loss: 'unfit', why: fits.unfit };
  if (await holdsAtStart(options, fits)) return { loss: 'trueAtStart', why: rejectionReasons.trueAtStart };

  const refineText = `${place.description}\n\nThe condition: ${JSON.stringify(condition)}\nThe instruction: ${composed.instruction}`;
  const pictures = first && [first.png];
  const refined = await ask(
    model,
    { step: 'refine', prompt: prompts.refine, text: refineText, pictures, schema: Refined },
    signal,
  );
  if ('malformed' in refined) return { loss: 'malformed', why: refined.malformed };
  const { instruction } = refined.value;
  if (instruction === null) return { loss: 'unclear', why: refined.value.why };

  const candidate = { ...composed, instruction };
  const text = `${place.description}\n\nThe condition: ${JSON.stringify(condition)}\nThe instruction: ${instruction}`;
  const verified = await ask(model, { step: 'verify', prompt: prompts.verify, text, schema: Verified }, signal);
  if ('malformed' in verified) return { loss: 'malformed', why: verified.malformed };
  if (!verified.value.verifiable) return { loss: 'unverifiable', why: verified.value.why };
  const trial = place.trial(candidate);
  return 'unfit' in trial ? { loss: 'unfit', why: trial.unfit } : { candidate, trial };
}

async function holdsAtStart({ lease }: SynthesisOptions, trial: Trial): Promise<boolean> {
  const session = await lease();
  try {
    return (await (await trial.setUp(session)).verdict()).success;
  } finally {
    await session.release();
  }
}

function instructionIn(item: unknown): string {
  const { instruction } = (item ?? {}) as { instruction?: unknown };
  return typeof instruction === 'string' ? instruction : '';
}
