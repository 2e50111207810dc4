import type { RlResult } from '../algorithms/iteration.js';
import type { RejectionSample } from '../algorithms/rft.js';
import { type Gain, type Result, gainOf, resultOf } from '../metrics/evaluate.js';
import type { CycleResult, FamilyResult, FlywheelResult } from '../metrics/result.js';
import { mean } from '../metrics/statistics.js';
import { familyWeights } from '../rollouts/curriculum.js';
import type { SupervisedResult } from '../sft/poolLearning.js';
import type { Allowance, CycleWork } from './cycleStages.js';
import { type HeldOutResult, attemptsOf, chooseShown } from './heldOut.js';
import type { FinishedStage, Journal, StageOutcome } from './journal.js';
import type { Routing } from './routing.js';
import type { Settings } from './settings.js';

/** Returns the settings that a resumed run must keep: all but length and speed. */
export function resumeSettings(settings: Settings): Record<string, unknown> {
  const {
    families,
    suites: _suites,
    minutes: _minutes,
    cycles: _cycles,
    threads: _threads,
    browsers: _browsers,
    sessions: _sessions,
    ...run
  } = settings;
  const { patience: _patience, turns: _turns, diskGiB: _diskGiB, ...cycle } = settings.cycle;
  // Families come first, since a mismatch names the first difference.
  return { families, ...run, cycle };
}

interface Outcomes {
  ct: SupervisedResult;
  sft: SupervisedResult;
  rl: RlResult;
  generate: RejectionSample;
}

interface Stage<Name extends keyof Outcomes> {
  readonly name: Name;
  readonly trains: boolean;
  readonly isDue: (terms: Settings['cycle'], cycle: number, pools: Routing['pools']) => boolean;
  readonly run: (work: CycleWork, cycle: number, allowance: Allowance) => Promise<Outcomes[Name]>;
}

const stages: readonly { [Name in keyof Outcomes]: Stage<Name> }[keyof Outcomes][] = [
  {
    name: 'ct',
    trains: true,
    isDue: ({ ct }, cycle, pools) => ct.share > 0 && ct.every > 0 && cycle % ct.every === 0 && pools.ct > 0,
    run: (work, cycle, allowance) => work.ct(cycle, allowance),
  },
  {
    name: 'sft',
    trains: true,
    isDue: ({ sft }, _cycle, pools) => sft.share > 0 && pools.sft > 0,
    run: (work, cycle, allowance) => work.sft(cycle, allowance),
  },
  {
    name: 'rl',
    trains: true,
    isDue: ({ rl }) => rl.share > 0,
    run: (work, cycle, allowance) => work.rl(cycle, allowance),
  },
  {
    name: 'generate',
    trains: false,
    isDue: ({ generate }) => generate.share > 0,
    run: (work, cycle, allowance) => work.generate(cycle, allowance),
  },
];

/**
 * Runs the flywheel (UI-TARS-2, arXiv 2509.02544, section 2.3): a cold start, then cycles of CT, SFT, RL and rejection
 * sampling.
 *
 * Each cycle routes its episodes to the pools and samples weak families more often in the next. Cycles are evaluated on
 * dev; the start, and the latest checkpoint not significantly worse than the best, on test. The run ends when nothing
 * is gained or a budget is spent. A resumed run repeats no finished stage.
 */
export async function runCycles(work: CycleWork, settings: Settings, journal: Journal): Promise<FlywheelResult> {
  const { families } = settings;
  const baselines = await journal.stage('baselines', () => work.baselines());
  const cold = await journal.stage('cold start', () => work.coldStart(), { learns: true, keeps: true });
  const routed = await journal.stage('route 0', () => work.route(0));
  const start = await journal.stage('evaluate start', () => work.measure('test', 'start'));
  const first = await journal.stage('evaluate cycle 0', () => work.measure('dev', 'cycle 0'));
  const run = new Cycles(work, settings, journal, { start, first, routed, cold });
  const stopped = await run.untilStopped();
  const { checkpoint, cycle: tested } = run.best();
  const trained = await journal.stage('evaluate trained', async () => {
    await work.load(journal.weightsOf(checkpoint));
    return work.measure('test', 'trained');
  });
  return {
    settings,
    minutes: journal.spent.minutes,
    families: families.map((family) =>
      familyResult(family, { ...baselines.outcome, start: start.outcome, trained: trained.outcome }, settings.seed),
    ),
    gain: gainOf(families, attemptsOf(start.outcome), attemptsOf(trained.outcome), settings.seed),
    supervised: cold.outcome.supervised,
    ppo: run.iterations,
    shown: chooseShown(families, { start: start.outcome.episodes, trained: trained.outcome.episodes }),
    cycles: { all: run.results, tested, weights: checkpoint, stopped },
  };
}

class Cycles {
  readonly #work: CycleWork;
  readonly #settings: Settings;
  readonly #journal: Journal;

  readonly results: CycleResult[];
  readonly iterations: RlResult['iterations'] = [];
  readonly #measured: HeldOutResult[];
  readonly #checkpoints = ['cold start'];
  #routing: Routing;
  readonly #evaluationMinutes: number;

  constructor(
    work: CycleWork,
    settings: Settings,
    journal: Journal,
    {
      start,
      first,
      routed,
      cold,
    }: Record<'start' | 'first', FinishedStage<HeldOutResult>> & {
      routed: FinishedStage<Routing>;
      cold: FinishedStage<StageOutcome>;
    },
  ) {
    this.#work = work;
    this.#settings = settings;
    this.#journal = journal;

    this.#measured = [first.outcome];
    this.#routing = routed.outcome;
    this.#evaluationMinutes = start.minutes;
    const finished = { 'cold start': cold, 'route 0': routed, 'evaluate cycle 0': first };
    const weights = familyWeights(settings.families, {});
    this.results = [cycleResult(0, finished, weights, routed.outcome, first.outcome, {})];
  }

  async untilStopped(): Promise<string> {
    for (let cycle = 1; cycle <= this.#settings.cycles; cycle++) {
      const isResumed = ['ct', 'sft', 'rl', 'generate', 'route'].some((stage) =>
        this.#journal.has(`${stage} ${cycle}`),
      );
      const reason = isResumed ? undefined : await this.#stopReason();
      if (reason !== undefined) return reason;
      await this.#cycle(cycle);
    }
    return 'all cycles are done';
  }

  best(): { cycle: number; checkpoint: string } {
    const { families, seed } = this.#settings;
    // The maximum of few dev results is mostly luck.
    const highest = this.#measured[highestOf(this.#measured)];
    const reference = highest ? attemptsOf(highest) : [];
    const cycle = this.#measured.findLastIndex((dev) => gainOf(families, reference, attemptsOf(dev), seed).high >= 0);
    return { cycle, checkpoint: this.#checkpoints[cycle] ?? '' };
  }

  async #cycle(cycle: number): Promise<void> {
    const journal = this.#journal;
    const work = this.#work;
    const routing = this.#routing;
    const { families, cycle: terms, seed } = this.#settings;
    const weights = familyWeights(families, routing.tallies);
    const due = stages.filter(({ isDue }) => isDue(terms, cycle, routing.pools));
    const shares = due.reduce((sum, { name }) => sum + terms[name].share, 0);
    const minutes = this.#minutesOf(cycle) / Math.max(shares, 1e-9);
    // May be tested, so these weights are never removed.
    const last = due.findLast(({ trains }) => trains)?.name;
    const outcomes: { [Name in keyof Outcomes]?: FinishedStage<Outcomes[Name]> } = {};
    const finished: Record<string, FinishedStage<StageOutcome>> = {};
    this.#checkpoints[cycle] = this.#checkpoints[cycle - 1] ?? '';
    for (const { name, trains, run } of due) {
      const stage = `${name} ${cycle}`;
      const allowance = this.#allowance(minutes * terms[name].share, weights);
      const done = await journal.stage<Outcomes[typeof name]>(stage, () => run(work, cycle, allowance), {
        learns: trains,
        keeps: name === last,
      });
      if (trains) this.#checkpoints[cycle] = stage;
      Object.assign(outcomes, { [name]: done });
      finished[stage] = done;
    }
    const routed = (finished[`route ${cycle}`] = await journal.stage(`route ${cycle}`, () => work.route(cycle)));
    const evaluation = `evaluate cycle ${cycle}`;
    const dev = (finished[evaluation] = await journal.stage(evaluation, () => work.measure('dev', `cycle ${cycle}`)));
    this.#routing = routed.outcome;
    this.#append(outcomes.rl?.outcome.iterations ?? []);
    const [before, origin] = [this.#measured.at(-1) ?? dev.outcome, this.#measured[0] ?? dev.outcome];
    this.#measured.push(dev.outcome);
    const gain = (from: HeldOutResult, of: string | readonly string[]) =>
      gainOf(of, attemptsOf(from), attemptsOf(dev.outcome), seed);
    const gains = Object.fromEntries(families.map((family) => [family, gain(before, family)]));
    this.results.push({
      ...cycleResult(cycle, finished, weights, routed.outcome, dev.outcome, gains),
      meanGain: { last: gain(before, families), first: gain(origin, families) },
      ...summaries(outcomes),
    });
  }

  /** Excludes the time for evaluation. */
  #minutesOf(cycle: number): number {
    const evaluation = this.results.at(-1)?.stages.at(-1)?.minutes ?? 0;
    const minutes = this.#minutesLeft();
    return Math.max(minutes / (this.#settings.cycles - cycle + 1) - evaluation, 0.05 * minutes, 0.02);
  }

  /** The final test takes as long as the first. */
  #minutesLeft(): number {
    return this.#settings.minutes - this.#journal.spent.minutes - this.#evaluationMinutes;
  }

  #allowance(minutes: number, familyWeights: Record<string, number>): Allowance {
    const { spent } = this.#journal;
    const over = spent.minutes;
    return {
      minutes,
      familyWeights,
      progress: (done) => Math.min(1, (over + done) / this.#settings.minutes),
      turns: (this.#settings.cycle.turns ?? Infinity) - spent.turns,
      stepsBefore: this.iterations.at(-1)?.environmentSteps ?? 0,
    };
  }

  #append(iterations: RlResult['iterations']): void {
    const before = this.iterations.at(-1)?.environmentSteps ?? 0;
    for (const iteration of iterations)
      this.iterations.push({ ...iteration, environmentSteps: before + iteration.environmentSteps });
  }

  async #stopReason(): Promise<string | undefined> {
    const { patience, turns, diskGiB } = this.#settings.cycle;
    const played = this.#journal.spent.turns;
    if (patience > 0 && this.#measured.length - 1 - highestOf(this.#measured) >= patience)
      return `${patience} cycles brought no gain`;
    if (this.#minutesLeft() <= 0) return 'the time budget is used up';
    if (turns !== undefined && played >= turns) return `${played} turns were played (limit: ${turns})`;
    if (diskGiB === undefined) return undefined;
    const disk = await this.#work.disk();
    return disk >= diskGiB ? `the run takes ${disk.toFixed(2)} GiB (limit: ${diskGiB})` : undefined;
  }
}

/** Families weigh alike. */
function highestOf(measured: readonly HeldOutResult[]): number {
  const scores = measured.map(({ results }) => mean(results.map(({ success }) => success)));
  return scores.indexOf(Math.max(...scores));
}

function familyResult(
  family: string,
  {
    oracle,
    random,
    start,
    trained,
  }: { oracle: Result[]; random: Result[]; start: HeldOutResult; trained: HeldOutResult },
  seed: number,
): FamilyResult {
  const resultIn = (results: readonly Result[]): Result =>
    results.find((result) => result.family === family) ?? resultOf(family, []);
  return {
    family,
    n: Math.min(resultIn(start.results).n, resultIn(trained.results).n),
    random: resultIn(random),
    start: resultIn(start.results),
    trained: resultIn(trained.results),
    oracle: resultIn(oracle),
    gain: gainOf(family, attemptsOf(start), attemptsOf(trained), seed),
  };
}

function summaries({
  ct,
  sft,
  rl,
  generate,
}: {
  [Name in keyof Outcomes]?: FinishedStage<Outcomes[Name]>;
}): Pick<CycleResult, 'ct' | 'sft' | 'rl' | 'generated'> {
  return {
    ...(ct && { ct: ct.outcome }),
    ...(sft && { sft: sft.outcome }),
    ...(rl && { rl: { iterations: rl.outcome.iterations.length, turns: rl.outcome.turns } }),
    ...(generate && { generated: generate.outcome }),
  };
}

function cycleResult(
  cycle: number,
  finished: Readonly<Record<string, FinishedStage<StageOutcome>>>,
  practice: Record<string, number>,
  { flows, leftOut, pools, file }: Routing,
  { results, purpose }: HeldOutResult,
  gains: Record<string, Gain>,
): CycleResult {
  return {
    cycle,
    stages: Object.entries(finished).map(([stage, { minutes, outcome }]) => ({ stage, minutes, turns: outcome.turns })),
    practice,
    flows,
    leftOut,
    pools,
    routes: file,
    dev: results,
    devPurpose: purpose,
    gains,
  };
}
