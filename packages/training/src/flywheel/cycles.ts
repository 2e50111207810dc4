import { practiceWeights } from '../rollouts/curriculum.js';
import type { Allowance, CycleWork } from './cycleStages.js';
import { type Gain, type Result, gainOf, resultOf } from '../metrics/evaluate.js';
import { type Measured, attemptsOf, choose } from './heldOut.js';
import type { Practised } from '../algorithms/iteration.js';
import type { Finished, Journal, StageOutcome } from './journal.js';
import type { CycleResult, FamilyResult, FlywheelResult } from '../metrics/result.js';
import type { Routing } from './routing.js';
import type { Settings } from './settings.js';
import { mean } from '../metrics/statistics.js';

/** Stages of a cycle that learn or generate, which share its time. */
type Timed = 'ct' | 'sft' | 'rl' | 'generate';

/** What must stay as it was for a run to be resumed: everything but how long it goes on and how fast it is. */
export function runOf(settings: Settings): Record<string, unknown> {
  const {
    families,
    minutes: _minutes,
    cycles: _cycles,
    threads: _threads,
    browsers: _browsers,
    sessions: _sessions,
    ...run
  } = settings;
  const { patience: _patience, turns: _turns, diskGiB: _diskGiB, ...cycle } = settings.cycle;
  // What is compared first is told first.
  return { families, ...run, cycle };
}

/**
 * The flywheel (UI-TARS-2, arXiv 2509.02544, section 2.3): after a cold start, in each cycle CT, where it is its turn, and SFT on their
 * pools, RL, rejection sampling by what that made, and every episode to the pool that its verdict sends it to; the next cycle practises
 * where this one was weak. Success is measured on the dev split between cycles, and on the test split at the start and at the end, of the
 * last weights that dev does not show to be worse than earlier ones. It stops where nothing is gained, or a budget is spent. What was over
 * before a kill is not done again.
 */
export async function runCycles(work: CycleWork, settings: Settings, journal: Journal): Promise<FlywheelResult> {
  const { families, cycle: terms } = settings;
  const baselines = await journal.stage('baselines', () => work.baselines());
  const cold = await journal.stage('cold start', () => work.coldStart(), { learns: true, keeps: true });
  const routed = await journal.stage('route 0', () => work.route(0));
  const start = await journal.stage('evaluate start', () => work.measure('test', 'start'));
  const first = await journal.stage('evaluate cycle 0', () => work.measure('dev', 'cycle 0'));
  const all = [
    cycleOf(
      0,
      { 'cold start': cold, 'route 0': routed, 'evaluate cycle 0': first },
      uniform(families),
      routed.outcome,
      first.outcome,
      {},
    ),
  ];
  const measured: Measured[] = [first.outcome];
  /** The stages that left the weights of each cycle. */
  const weights: string[] = ['cold start'];
  const iterations: Practised['iterations'] = [];
  let routing: Routing = routed.outcome;
  let stopped = 'all cycles are done';

  for (let cycle = 1; cycle <= settings.cycles; cycle++) {
    const isBegun = ['ct', 'sft', 'rl', 'generate', 'route'].some((stage) => journal.has(`${stage} ${cycle}`));
    const last = measured.at(-1)!;
    const cost = all.at(-1)?.stages.at(-1)?.minutes ?? 0;
    // As long as the test of the start took, the one at the end will.
    const left = settings.minutes - journal.spent.minutes - start.minutes;
    const why = isBegun ? undefined : await stopOf(settings, measured, left, journal.spent.turns, work);
    if (why !== undefined) {
      stopped = why;
      break;
    }
    const practice = practiceWeights(families, routing.tallies);
    const due: Record<Timed, boolean> = {
      ct: terms.ct.share > 0 && terms.ct.every > 0 && cycle % terms.ct.every === 0 && routing.pools.ct > 0,
      sft: terms.sft.share > 0 && routing.pools.sft > 0,
      rl: terms.rl.share > 0,
      generate: terms.generate.share > 0,
    };
    // What the evaluation takes is not to be shared, as far as the time allows for it.
    const each = Math.max(left / (settings.cycles - cycle + 1) - cost, 0.05 * left, 0.02);
    const shares = (['ct', 'sft', 'rl', 'generate'] as const).reduce(
      (sum, stage) => sum + (due[stage] ? terms[stage].share : 0),
      0,
    );
    const allowance = (stage: Timed): Allowance => {
      const over = journal.spent.minutes;
      return {
        minutes: (each * terms[stage].share) / Math.max(shares, 1e-9),
        practice,
        progress: (minutes) => Math.min(1, (over + minutes) / settings.minutes),
        turns: (terms.turns ?? Infinity) - journal.spent.turns,
        practised: iterations.at(-1)?.environmentSteps ?? 0,
      };
    };
    const learn = async <T extends StageOutcome>(stage: 'ct' | 'sft' | 'rl', work: () => Promise<T>) => {
      if (!due[stage]) return undefined;
      // What the last of them leaves are the weights of the cycle, which may be those that are tested.
      const keeps = stage === 'rl' || !due.rl;
      const done = await journal.stage(`${stage} ${cycle}`, work, { learns: true, keeps });
      weights[cycle] = `${stage} ${cycle}`;
      return done;
    };
    weights[cycle] = weights[cycle - 1] ?? '';
    const ct = await learn('ct', () => work.ct(cycle, allowance('ct')));
    const sft = await learn('sft', () => work.sft(cycle, allowance('sft')));
    const rl = await learn('rl', () => work.rl(cycle, allowance('rl')));
    const generated = due.generate
      ? await journal.stage(`generate ${cycle}`, () => work.generate(cycle, allowance('generate')))
      : undefined;
    const way = await journal.stage(`route ${cycle}`, () => work.route(cycle));
    const dev = await journal.stage(`evaluate cycle ${cycle}`, () => work.measure('dev', `cycle ${cycle}`));
    routing = way.outcome;
    const before = iterations.at(-1)?.environmentSteps ?? 0;
    for (const one of rl?.outcome.iterations ?? [])
      iterations.push({ ...one, environmentSteps: before + one.environmentSteps });
    measured.push(dev.outcome);
    const gains = Object.fromEntries(
      families.map((family) => [family, gainOf(family, attemptsOf(last), attemptsOf(dev.outcome), settings.seed)]),
    );
    const meanOver = (earlier: Measured) =>
      gainOf(families, attemptsOf(earlier), attemptsOf(dev.outcome), settings.seed);
    const meanGain = { last: meanOver(last), first: meanOver(measured[0] ?? last) };
    const stages = {
      ...(ct && { [`ct ${cycle}`]: ct }),
      ...(sft && { [`sft ${cycle}`]: sft }),
      ...(rl && { [`rl ${cycle}`]: rl }),
      ...(generated && { [`generate ${cycle}`]: generated }),
      [`route ${cycle}`]: way,
      [`evaluate cycle ${cycle}`]: dev,
    };
    all.push({
      ...cycleOf(cycle, stages, practice, way.outcome, dev.outcome, gains),
      meanGain,
      ...(ct && { ct: ct.outcome }),
      ...(sft && { sft: sft.outcome }),
      ...(rl && { rl: { iterations: rl.outcome.iterations.length, turns: rl.outcome.turns } }),
      ...(generated && { generated: generated.outcome }),
    });
  }

  const last = testedOf(measured, settings);
  const trained = await journal.stage('evaluate trained', async () => {
    await work.load(journal.weightsOf(weights[last] ?? ''));
    return work.measure('test', 'trained');
  });
  const { oracle, random } = baselines.outcome;
  const tested = families.map((family): FamilyResult => {
    const of = (results: Result[]): Result =>
      results.find((result) => result.family === family) ?? resultOf(family, []);
    return {
      family,
      n: Math.min(of(start.outcome.results).n, of(trained.outcome.results).n),
      random: of(random),
      start: of(start.outcome.results),
      trained: of(trained.outcome.results),
      oracle: of(oracle),
      gain: gainOf(family, attemptsOf(start.outcome), attemptsOf(trained.outcome), settings.seed),
    };
  });
  return {
    settings,
    minutes: journal.spent.minutes,
    families: tested,
    gain: gainOf(families, attemptsOf(start.outcome), attemptsOf(trained.outcome), settings.seed),
    ...(cold.outcome.supervised && { supervised: cold.outcome.supervised }),
    ppo: iterations,
    shown: choose(families, { start: start.outcome.episodes, trained: trained.outcome.episodes }),
    cycles: { all, tested: last, weights: weights[last] ?? '', stopped },
  };
}

/** Why no further cycle begins; undefined where one does. */
async function stopOf(
  { cycle: { patience, turns, diskGiB } }: Settings,
  measured: readonly Measured[],
  minutesLeft: number,
  turnsSpent: number,
  work: CycleWork,
): Promise<string | undefined> {
  if (patience > 0 && measured.length - 1 - bestOf(measured) >= patience) return `no gain in ${patience} cycles`;
  if (minutesLeft <= 0) return 'the minutes are spent';
  if (turns !== undefined && turnsSpent >= turns) return `${turnsSpent} turns were played, of ${turns} at most`;
  if (diskGiB === undefined) return undefined;
  const disk = await work.disk();
  return disk >= diskGiB ? `the run holds ${disk.toFixed(2)} GiB, of ${diskGiB} at most` : undefined;
}

/** The first of those with the highest success on the dev split, families counting alike. */
function bestOf(measured: readonly Measured[]): number {
  const scores = measured.map(({ results }) => mean(results.map(({ success }) => success)));
  return scores.indexOf(Math.max(...scores));
}

/**
 * The last cycle that did not do worse on the dev split, for certain, than the one that did best. The highest of few dev episodes is
 * mostly luck, and what practised longer is more often the better.
 */
function testedOf(measured: readonly Measured[], { families, seed }: Settings): number {
  const best = measured[bestOf(measured)];
  const reference = best ? attemptsOf(best) : [];
  return measured.findLastIndex((one) => gainOf(families, reference, attemptsOf(one), seed).high >= 0);
}

function cycleOf(
  cycle: number,
  stages: Readonly<Record<string, Finished<StageOutcome>>>,
  practice: Record<string, number>,
  { flows, leftOut, pools, file }: Routing,
  { results, purpose }: Measured,
  gains: Record<string, Gain>,
): CycleResult {
  return {
    cycle,
    stages: Object.entries(stages).map(([stage, { minutes, outcome }]) => ({ stage, minutes, turns: outcome.turns })),
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

const uniform = (families: readonly string[]): Record<string, number> => practiceWeights(families, {});
