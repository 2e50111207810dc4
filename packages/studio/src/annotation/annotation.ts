import { type Context, type Oracle, pastTurn, type Policy, AgentFault, Stage } from '@gyre/agent';
import type { EpisodeWriter, Lake } from '@gyre/lake';
import {
  type AgentAction,
  type Candidate,
  type Edited,
  type Environment,
  type Episode,
  type EpisodeEnd,
  type EpisodeStart,
  type Frame,
  GyreError,
  type Observation,
  type StepResult,
  type Turn,
  type Verdict,
} from '@gyre/protocol';
import { topShare, areSame, type Proposal, propose } from './candidates.js';

export const annotationPurpose = 'annotation';

export interface AnnotationTerms {
  readonly lake: Lake;
  readonly environment: Environment;
  readonly policy: Policy | Oracle;
  /** Tells people which one it is. */
  readonly policyName: string;
  /** Recent screenshots that the policy sees. */
  readonly screenshots: number;
  /** Sampled per turn. */
  readonly samples: number;
  readonly episode: string;
  readonly by: string;
  /** SPDX, of what the person contributes. */
  readonly licence?: string | undefined;
  /** Turns of an interrupted annotation of the same episode, to continue. */
  readonly earlier?: Pick<Episode, 'observation' | 'turns'> | undefined;
}

/** The end of an episode if it were submitted now. */
export interface Outcome {
  readonly end: EpisodeEnd;
  readonly verdict: Verdict | undefined;
}

export interface PersonTurn {
  readonly thought?: string | undefined;
  readonly actions: readonly AgentAction[];
  /** Number of the candidate that it accepts or edits. */
  readonly candidate?: number | undefined;
  readonly comment?: string | undefined;
}

/**
 * One episode that a person annotates on a policy's own states: the policy proposes turns, and the person accepts,
 * edits or overrides. Turns are in the lake's write-ahead file before their call returns. Calls must not overlap.
 */
export class Annotation {
  readonly #terms: AnnotationTerms;
  readonly #stage: Stage;
  readonly #start: EpisodeStart;
  readonly #writer: EpisodeWriter;
  readonly #turns: Turn[] = [];
  /** The first screen, then that after each turn. */
  readonly #frames: Frame[];
  readonly #closed = new AbortController();
  #proposal: Promise<Proposal> | undefined;
  #ready: Proposal | undefined;
  #draws = 0;
  #outcome: Outcome | undefined;

  private constructor(terms: AnnotationTerms, stage: Stage, start: EpisodeStart, writer: EpisodeWriter, first: Frame) {
    this.#terms = terms;
    this.#stage = stage;
    this.#start = start;
    this.#writer = writer;
    this.#frames = [first];
  }

  /** @throws GyreError `infra`; `corrupt` if an earlier screen does not come back bit by bit */
  static async begin(terms: AnnotationTerms): Promise<Annotation> {
    const { lake, environment, episode, by, licence, earlier } = terms;
    const stage = new Stage(environment, { reproduce: true });
    const first = await stage.reset();
    if (earlier) expectSame(first, earlier.observation, 0);
    await lake.putScreenshot(first.png, first.hash);
    const start: EpisodeStart = {
      ...{ id: episode, task: stage.task, policy: `human:${by}`, purpose: annotationPurpose, seed: 0 },
      ...{ startedAt: new Date().toISOString(), observation: observationOf(first) },
      origin: { format: 'annotation', source: by, ...(licence !== undefined && { licence }) },
    };
    const annotation = new Annotation(terms, stage, start, await lake.begin(start), first);
    for (const turn of earlier?.turns ?? []) {
      const step = await stage.step(turn.actions);
      expectSame(step.observation, turn.observation, turn.index + 1);
      await annotation.#keep(turn, step);
    }
    annotation.#prefetch();
    return annotation;
  }

  get start(): EpisodeStart {
    return this.#start;
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  get by(): string {
    return this.#terms.by;
  }

  get policy(): string {
    return this.#terms.policyName;
  }

  /** Set once the task is over; the person may still undo. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Returns what the policy proposes here; sampling began with the last turn. */
  async candidates({ again = false } = {}): Promise<Proposal> {
    if (again) this.#prefetch();
    return (await this.#proposal) ?? { candidates: [], texts: [], reading: undefined, malformed: 0 };
  }

  /** Carries out a person's turn. */
  async act({ thought, actions, candidate, comment }: PersonTurn): Promise<void> {
    const proposal = candidate === undefined ? this.#ready : await this.candidates();
    const accepted = candidate === undefined ? undefined : proposal?.candidates[candidate];
    if (candidate !== undefined && !accepted) {
      throw new GyreError('bad_input', `there is no candidate ${candidate + 1}`, {
        field: 'candidate',
        fix: `choose one of ${proposal?.candidates.length ?? 0}`,
      });
    }
    const edited = accepted && editOf(accepted, thought, actions, this.#frame.size);
    await this.#step(actions, proposal, candidate, {
      ...{ by: this.#terms.by, at: new Date().toISOString() },
      ...(edited && { edited }),
      ...(comment !== undefined && { mark: { comment } }),
      ...(thought !== undefined && thought !== '' && { thought }),
      ...(accepted && !edited && proposal?.texts[candidate!] !== undefined && { text: proposal.texts[candidate!]! }),
    });
  }

  /**
   * Lets the policy act until fewer than `share` of its samples agree, the task is over, or `turns` are taken.
   *
   * @returns the number of turns taken
   */
  async proceed({ turns, share }: { readonly turns: number; readonly share: number }): Promise<number> {
    for (let taken = 0; ; taken++) {
      if (taken === turns || this.#outcome || this.#closed.signal.aborted) return taken;
      const proposal = await this.candidates();
      const [top] = proposal.candidates;
      if (!top || topShare(proposal.candidates) < share) return taken;
      const { thought, actions } = top;
      const [text] = proposal.texts;
      await this.#step(actions, proposal, 0, {
        ...(thought !== undefined && { thought }),
        ...(text !== undefined && { text }),
      });
    }
  }

  /** Takes the last turn back: the task is played again up to the turn before, with the same screens bit by bit. */
  async undo(): Promise<void> {
    const last = this.#turns.length - 1;
    if (last < 0) throw new GyreError('bad_input', 'there is no turn to undo', { field: 'index', fix: 'take a turn' });
    expectSame(await this.#stage.reset(), this.#start.observation, 0);
    for (const { actions, observation, index } of this.#turns.slice(0, last)) {
      expectSame((await this.#stage.step(actions)).observation, observation, index + 1);
    }
    await this.#writer.retract(last);
    this.#turns.length = last;
    this.#frames.length = last + 1;
    this.#outcome = undefined;
    this.#prefetch();
  }

  /**
   * Ends the episode with its verdict. Without an outcome the person gave up: the state is hopeless.
   *
   * @param lastGood turns after it are marked as bad; -1: all are
   */
  async submit({ lastGood, reason }: { lastGood?: number | undefined; reason?: string | undefined }): Promise<Episode> {
    const { end, verdict } = this.#outcome ?? {
      end: { state: 'stuck' } as const,
      verdict: await this.#stage.verdict(),
    };
    if (lastGood !== undefined && lastGood + 1 < this.#turns.length) {
      const bad = this.#turns.slice(lastGood + 1);
      await this.#writer.retract(lastGood + 1);
      const mark = { bad: true, ...(reason !== undefined && { label: reason }) };
      for (const turn of bad) await this.#writer.append({ ...turn, mark: { ...turn.mark, ...mark } });
    }
    const episode = await this.#writer.finish(end, verdict);
    await this.close();
    return episode;
  }

  /** Ends the episode as cut. */
  async abandon(): Promise<void> {
    await this.close();
    await this.#writer.finish({ state: 'cut' });
  }

  /** Frees the machine; the episode stays open. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#proposal?.catch(() => undefined);
    await this.#stage.close();
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!;
  }

  async #step(
    actions: readonly AgentAction[],
    proposal: Proposal | undefined,
    candidate: number | undefined,
    turn: Pick<Turn, 'by' | 'at' | 'edited' | 'mark' | 'thought' | 'text'>,
  ): Promise<void> {
    this.#expectOpen();
    const before = this.#frame;
    const reading = proposal?.reading ?? before.reading;
    const candidates = proposal?.candidates.map((each, number) => ({ ...each, chosen: number === candidate }));
    const known = {
      index: this.#turns.length,
      ...turn,
      ...(candidates && candidates.length > 0 && { candidates }),
      ...(reading && { reading }),
    };
    let step: StepResult;
    try {
      step = await this.#stage.step(actions);
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      const observation = observationOf(before, [{ kind: 'fault', text: error.message }]);
      const broken: Turn = { ...known, actions: [...error.actions], observation, reward: 0 };
      await this.#writer.append(broken);
      this.#turns.push(broken);
      this.#frames.push(before);
      const verdict: Verdict = {
        ...{ success: false, score: 0, source: 'verifier' },
        evidence: { fault: error.message },
      };
      this.#outcome = { end: { state: 'agent_fault', message: error.message }, verdict };
      return;
    }
    const { observation: frame, targets, results, reward } = step;
    await this.#terms.lake.putScreenshot(frame.png, frame.hash);
    const observation = observationOf(frame, results);
    await this.#keep(
      { ...known, actions: [...step.actions], observation, ...(targets && { targets: [...targets] }), reward },
      step,
    );
    this.#prefetch();
  }

  async #keep(turn: Turn, { observation: frame, done }: StepResult): Promise<void> {
    await this.#writer.append(turn);
    this.#turns.push(turn);
    this.#frames.push(frame);
    const spent = this.#turns.length >= this.#start.task.stepBudget;
    if (!done && !spent) return;
    const state = done ? 'finished' : 'out_of_budget';
    this.#outcome = { end: { state }, verdict: await this.#stage.verdict() };
  }

  /** Begins to sample for the current screen, while the person still looks at it. */
  #prefetch(): void {
    this.#ready = undefined;
    this.#proposal = undefined;
    if (this.#outcome) return;
    const { policy, samples, screenshots, episode } = this.#terms;
    const { id, instruction, surfaces, screen, stepBudget } = this.#start.task;
    const context: Omit<Context, 'random'> = {
      task: { instruction, surfaces, screen, stepBudget },
      screenshots: this.#frames.slice(-screenshots),
      start: this.#start.observation,
      turns: this.#turns.map(pastTurn),
      episodeId: episode,
      signal: this.#closed.signal,
    };
    const solution = { oracle: () => this.#stage.oracle() };
    const seed = `${id} ${this.#turns.length} ${this.#draws++}`;
    const { size } = this.#frame;
    const proposal = propose({ policy, solution, context, size, samples, seed });
    this.#proposal = proposal;
    proposal.then(
      (ready) => {
        if (this.#proposal === proposal) this.#ready = ready;
      },
      () => undefined,
    );
  }

  #expectOpen(): void {
    if (!this.#outcome) return;
    throw new GyreError('bad_input', 'the task is over', { field: 'index', fix: 'submit it, or undo the last turn' });
  }
}

function editOf(
  { thought: before, actions: proposed }: Candidate,
  thought: string | undefined,
  actions: readonly AgentAction[],
  size: Frame['size'],
): Edited | undefined {
  const isThought = (thought ?? '') === (before ?? '');
  const isAction = areSame(actions, proposed, size);
  if (isThought && isAction) return undefined;
  return { ...(!isThought && { thought: before ?? '' }), ...(!isAction && { actions: proposed }) };
}

function observationOf({ hash, size }: Frame, results: StepResult['results'] = []): Observation {
  return { screenshot: hash, size, ...(results.length > 0 && { results: [...results] }) };
}

function expectSame({ hash }: Frame, { screenshot }: Observation, turn: number): void {
  if (hash === screenshot) return;
  throw new GyreError('corrupt', `the screen after turn ${turn} did not come back as it was`, {
    field: 'episode',
    fix: 'give the task back and begin again: the browser, its fonts or the task have changed',
  });
}
