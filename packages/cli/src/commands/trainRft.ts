import { type RftRound, Settings, trainRft } from '@gyre/training';
import { command, type Invocation } from '../command.js';
import { optionalCount } from '../flags/flag.js';
import { servedFlags } from '../flags/settings.js';
import { readRun, resumeFlag, runFlags, trainPolicy } from './trainRun.js';

const { generate } = Settings.parse({}).cycle;

export const rft = command({
  description:
    'Trains a policy by rejection fine-tuning (RFT) for --minutes. Each round attempts new training tasks several times with the current policy, at the temperatures of cycle.generate, and fine-tunes on the best success of each task. A round without a success trains nothing. Writes trained.safetensors. Resume an interrupted run with --resume.',
  examples: [
    'gyre train rft --from base --family menu,tabs --rounds 3',
    'gyre train rft --rounds 5 --attempts 8 --evaluate 100 --resume',
  ],
  flags: {
    ...runFlags,
    ...servedFlags,
    attempts: optionalCount(`attempts per task (default: ${generate.attempts})`),
    rounds: optionalCount('total rounds, instead of --minutes', { example: '3' }),
    resume: resumeFlag('stage of a round'),
  },
  async run({ attempts, rounds: maxRounds, ...flags }, invocation) {
    const [run, { cycle: read, ...others }] = await readRun(flags, invocation.typedSeed);
    const cycle = { ...read, generate: { ...read.generate, ...(attempts !== undefined && { attempts }) } };
    const settings: Settings = { ...others, cycle };
    return trainPolicy(run, settings, invocation, byRounds(settings, maxRounds, invocation));
  },
});

/** Trains for so many rounds, or for the minutes of the run. */
const byRounds = (
  settings: Settings,
  maxRounds: number | undefined,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
): Parameters<typeof trainPolicy>[3] => ({
  folder: 'rft',
  async train({ workspace, journal, minutes }) {
    let done = 0;
    const share = (): number => (maxRounds === undefined ? minutes.spent() / minutes.budget : done / maxRounds);
    const progress = terminal.progress('rft');
    const rounds = await trainRft(workspace, settings, () => share() >= 1, {
      ...{ signal, journal },
      ...(maxRounds === undefined && { minutes: () => Math.max(minutes.budget - minutes.spent(), 0) }),
      onProgress: (_, message) => progress.update(Math.min(1, share()), `round ${done + 1}: ${message}`),
      onRound: (round) => {
        done = round.round;
        terminal.log(summaryOf(round));
      },
    });
    const solved = rounds.reduce((sum, round) => sum + round.solved, 0);
    const tasks = rounds.reduce((sum, round) => sum + round.tasks, 0);
    return {
      ok: rounds.length > 0,
      summary: `${rounds.length} rounds, ${solved} of ${tasks} tasks solved`,
      result: { rounds },
    };
  },
});

function summaryOf({ round, tasks, solved, selected, steps, loss }: RftRound): string {
  const played = `round ${round}: ${solved} of ${tasks} tasks solved`;
  if (solved === 0) return `${played}; there is nothing to learn from`;
  if (selected === 0) return `${played}; all successes repeat earlier ones`;
  if (steps === undefined || loss === undefined) return `${played}; no success can be learnt from`;
  return `${played}; ${steps} steps on ${selected} successes, loss ${loss.toFixed(3)}`;
}
