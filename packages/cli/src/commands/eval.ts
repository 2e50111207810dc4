import type { GivenUp } from '@gyre/agent';
import { Baselines, entryOf } from '../baselines.js';
import { Tables } from '../bench/tables.js';
import { command, UsageError } from '../command.js';
import { openJudge } from '../attemptJudge.js';
import { agentFaultLines, evalTable, givenUpLines, leftOutLines } from '../evalTable.js';
import { chosenFamilies, splitNames } from '../families.js';
import { inputFile, oneOf, optionalCounts, optionalWord, outputFile, path } from '../flag.js';
import { openPolicy, policyFlags } from '../policies.js';
import { writeCurves } from '../report/writeReport.js';
import { isComplete, type LeftOut, playRollouts } from '../rollouts.js';
import { playScaling } from '../scaling.js';
import { scalingCharts, scalingTable } from '../scalingTable.js';
import { rolloutFlags } from './rollout.js';

export const evaluate = command({
  description:
    'Plays held-out tasks and prints the share solved with its 95 % interval (Wilson), of games also what they count themselves, and where baselines are known how far the score is from random actions, 0, to the scripted solution, 1. A fault of the infrastructure is retried; a task that has to be given up counts as a failure and is listed, so that nobody scores higher by failing to answer. With --budgets and --best-of: success against the step budget, each played for itself, and against attempts a task of which a judge chooses one, beside what any of them achieved (pass@n) and their mean; intervals are over tasks.',
  examples: [
    'gyre eval --checkpoint runs/trained.safetensors --episodes 400',
    'gyre eval --policy random --family maze --json',
    'gyre eval --suite all --policy oracle --episodes 20 --discard --record docs/baselines.json',
    'gyre eval --family maze --budgets 5,10,20,40 --best-of 1,4 --output scaling.html',
  ],
  flags: {
    ...policyFlags,
    ...rolloutFlags,
    split: oneOf(splitNames as ['train', 'dev', 'test'], 'which tasks', { default: 'test' }),
    baselines: inputFile('a JSON file of baselines to measure against (default: those that come with gyre)', {
      default: undefined,
    }),
    record: outputFile(
      'a JSON file to keep the results in, of random or oracle, as baselines; a table goes beside it, as .md',
      {
        default: undefined,
      },
    ),
    markdown: outputFile('a Markdown file to add the table to', { default: undefined }),
    budgets: optionalCounts('most turns of an episode, in the place of what each task says', { example: '5,10,20,40' }),
    bestOf: optionalCounts('of how many attempts at a task one is chosen (default: 1)', { example: '1,4' }),
    judge: path(
      'what chooses: confidence, the mean log-probability of the policy’s tokens, or the address of an OpenAI-compatible server with a model that sees',
      { default: 'confidence' },
    ),
    judgeName: optionalWord("the judging model's name there (default: the first that it lists)", {
      example: 'ui-tars',
    }),
    output: outputFile('an HTML file for the table and the curves of --budgets and --best-of', { default: undefined }),
  },
  async run(flags, { terminal, signal, seed }) {
    const { policy, size, record, split, episodes } = flags;
    const families = chosenFamilies(flags);
    if (record !== undefined && (policy === 'nano' || size)) {
      throw new UsageError('--record is for random and oracle, on screens of the families’ own sizes', {
        field: '--record',
        fix: 'add --policy random or --policy oracle, and leave --size away',
      });
    }
    const scales = flags.budgets !== undefined || flags.bestOf !== undefined;
    expectScaling(flags, scales);
    // First of all: who has played for an hour does not want to hear of a file that cannot be read.
    const known = await Baselines.read(flags.baselines);
    const kept = record === undefined ? undefined : await Baselines.read(record, { mayBeMissing: true });
    const judge = flags.judge === 'confidence' ? undefined : await openJudge(flags.judge, flags.judgeName);
    const tables = new Tables(terminal);
    const opened = await openPolicy(flags);
    try {
      const progress = terminal.progress('eval');
      const directory = flags.discard ? undefined : flags.directory;
      const plan = { ...flags, families, directory, seed, purpose: 'eval' };
      const names = flags.suite?.map((name) => `--suite ${name}`) ?? families.map(({ name }) => `--family ${name}`);
      const made = `gyre eval ${flags.model === undefined ? `--policy ${policy}` : `--model ${flags.model}`} ${names.join(' ')} --episodes ${episodes} --split ${split}`;
      const onLeftOut = (leftOut: readonly LeftOut[]) => {
        for (const line of leftOutLines(leftOut)) terminal.log(line);
      };
      if (scales) {
        const { budgets = [undefined], bestOf = [1] } = flags;
        const { results, leftOut, unjudged, complete, failure } = await playScaling(
          { ...plan, budgets, bestOf, judge },
          opened,
          { signal, progress, onLeftOut },
        );
        terminal.end();
        const [header, rows] = scalingTable(results);
        tables.add(header, rows);
        const lines = [...leftOutLines(leftOut), ...unjudgedLines(unjudged, judge?.model), ...(opened.told?.() ?? [])];
        for (const line of lines) tables.say(line);
        const command = `${made}${flags.budgets ? ` --budgets ${budgets.join(',')}` : ''} --best-of ${bestOf.join(',')}`;
        await tables.append(flags.markdown, command);
        if (flags.output !== undefined) {
          const curves = scalingCharts(results);
          await writeCurves(flags.output, {
            ...{ title: 'Success against steps and attempts', table: [header, ...rows], curves },
            paragraphs: [command, ...lines],
          });
        }
        return { ok: complete, result: { scaling: results, leftOut, unjudged }, failure };
      }
      const { leftOut, givenUp, failure, ...played } = await playRollouts(plan, opened, {
        signal,
        progress,
        onLeftOut,
      });
      terminal.end();
      const results = played.results.map((result) => {
        const normalised = policy === 'nano' && !size ? known.normalised(result) : undefined;
        return { ...result, ...(normalised !== undefined && { normalised }) };
      });
      tables.add(...evalTable(results));
      for (const line of [
        ...agentFaultLines(played.counts),
        ...givenUpLines(givenUp),
        ...leftOutLines(leftOut),
        ...(opened.told?.() ?? []),
      ])
        tables.say(line);
      const day = new Date().toISOString().slice(0, 10);
      if (kept && record !== undefined)
        await kept.with(results.flatMap((result) => entryOf(result, day))).write(record);
      await tables.append(flags.markdown, made);
      return {
        ok: isComplete({ ...played, givenUp, leftOut }, plan),
        result: { results, agentFaults: played.counts.agentFaults, givenUp: given(givenUp), leftOut },
        failure,
      };
    } finally {
      await opened.close();
    }
  },
});

const given = (givenUp: readonly GivenUp[]) =>
  givenUp.map(({ task, seed, message }) => ({ task: task.id, seed, message }));

/** Refuses flags that do not go together before anything is played. */
function expectScaling(
  flags: {
    bestOf?: number[] | undefined;
    record?: string | undefined;
    output?: string | undefined;
    judge: string;
    greedy: boolean;
    discard: boolean;
  },
  scales: boolean,
): void {
  const { bestOf = [1], record, output, judge, greedy, discard } = flags;
  const refused = (message: string, field: string, fix: string) => new UsageError(message, { field, fix });
  if (output !== undefined && !scales)
    throw refused('--output is for curves', '--output', 'add --budgets or --best-of, or leave it away');
  if (scales && record !== undefined)
    throw refused('--record keeps one result a family', '--record', 'leave --budgets and --best-of away');
  if (judge !== 'confidence' && Math.max(...bestOf) === 1)
    throw refused('one attempt needs no judge', '--judge', 'add --best-of 4, or leave it away');
  if (greedy && Math.max(...bestOf) > 1)
    throw refused(
      '--greedy makes all attempts at a task the same',
      '--greedy',
      'leave it away, so that the policy samples',
    );
  if (judge !== 'confidence' && discard)
    throw refused('the judge is shown screenshots, which are in the lake', '--discard', 'leave it away');
}

/** What is told of attempts that the judge could not judge. */
function unjudgedLines(unjudged: number, model: string | undefined): string[] {
  if (unjudged === 0) return [];
  const why =
    model === undefined
      ? 'the policy tells no log-probabilities of its tokens; --judge URL lets a model choose'
      : `${model} has given no verdict`;
  return [`${unjudged} attempts are not judged: ${why}`];
}
