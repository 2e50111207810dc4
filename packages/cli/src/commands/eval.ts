import type { GivenUp } from '@gyre/agent';
import { Baselines, entryOf } from '../eval/baselines.js';
import { Tables } from '../terminal/tables.js';
import { type Benchmark, osworldProviders } from '@gyre/benchmarks';
import { command, type Invocation, type Outcome, UsageError } from '../command.js';
import { openJudge } from '../eval/judge.js';
import {
  benchmarkLines,
  benchmarkResult,
  chosenBenchmarks,
  closeBenchmarks,
  isJudged,
  openBenchmarks,
} from '../eval/officialBenchmarks.js';
import { agentFaultLines, endingLines, evalTable, givenUpLines, leftOutLines } from '../eval/evalTable.js';
import { chosenFamilies, splitNames } from '../families/families.js';
import {
  count,
  inputFile,
  inputFolder,
  oneOf,
  optionalCounts,
  optionalOneOf,
  optionalUrl,
  optionalWord,
  optionalWords,
  outputFile,
  outputFolder,
  path,
  toggle,
  type Values,
} from '../flags/flag.js';
import { openPolicy, policyFlags } from '../policies/policies.js';
import { writeCurves } from '@gyre/studio';
import { type SkippedFamilies, isComplete, playRollouts, playScaling } from '@gyre/training';
import { scalingCharts, scalingTable } from '../eval/scalingTable.js';
import { searchBy } from '../flags/search.js';
import { rolloutFlags } from './rollout.js';

const evalFlags = {
  ...policyFlags,
  ...rolloutFlags,
  split: oneOf(splitNames as ['train', 'dev', 'test'], 'split of the tasks', { default: 'test' }),
  repeat: count('attempts per task, with different sampling seeds', { default: 1 }),
  baselines: inputFile('JSON file of baselines to normalise by (default: those of gyre)', {
    default: undefined,
  }),
  record: outputFile('store results of random or oracle as baselines in this JSON file, with a table as .md', {
    default: undefined,
  }),
  markdown: outputFile('append the table to this Markdown file', { default: undefined }),
  budgets: optionalCounts('step budgets to compare, instead of the budget of each task', { example: '5,10,20,40' }),
  bestOf: optionalCounts('numbers of attempts among which a judge chooses (default: 1)', { example: '1,4' }),
  judge: path(
    'judge of --best-of: confidence (mean log-probability of the tokens), or the URL of an OpenAI-compatible server with a vision model; of --suite online-mind2web and browsecomp: the URL of a server whose model judges every answer',
    { default: 'confidence' },
  ),
  judgeName: optionalWord(
    'model name of the judge (default: the first that the server lists; o4-mini for online-mind2web)',
    {
      example: 'ui-tars',
    },
  ),
  output: outputFile('write the table and curves of --budgets and --best-of to this HTML file', {
    default: undefined,
  }),
  mobilegym: inputFolder('clone of MobileGym with its apps built, for --suite mobilegym', { default: undefined }),
  osworld: inputFolder('clone of OSWorld, for --suite osworld', { default: undefined }),
  provider: optionalOneOf(
    osworldProviders,
    'where the machines of --suite osworld come from (default: gyre, desktops here)',
  ),
  vm: optionalWord('image or machine of --provider, as its path_to_vm (default: the one that OSWorld downloads)', {
    example: 'docker_vm_data/Ubuntu.qcow2',
  }),
  region: optionalWord('region of --provider aws', { example: 'us-east-1' }),
  windowsagentarena: inputFolder('clone of WindowsAgentArena or its V2, for --suite windowsagentarena', {
    default: undefined,
  }),
  machines: optionalWords('hosts of --suite windowsagentarena that run its server, on port 5000', {
    example: '172.30.0.2',
  }),
  restart: optionalWord(
    'shell command that restarts the machine MACHINE of --machines before every task, and ends when it answers',
    {
      example: 'docker restart -t 0 arena && ./wait.sh',
    },
  ),
  androidworld: inputFolder('clone of AndroidWorld, for --suite androidworld', { default: undefined }),
  phones: optionalWords('phones of --suite androidworld, by adb serial', { example: 'emulator-5554' }),
  lmgame: inputFolder('clone of GamingAgent, for --suite lmgame', { default: undefined }),
  browsecomp: inputFile(
    'questions of --suite browsecomp: the official .csv, or the .xlsx in a clone of BrowseComp-ZH',
    {
      default: undefined,
    },
  ),
  simpleEvals: inputFolder('clone of simple-evals, whose prompt grades the English questions of --suite browsecomp', {
    default: undefined,
  }),
  lmgameText: toggle('show the text of the games of --suite lmgame in addition to the picture'),
  mind2web: inputFile('task list of Online-Mind2Web (JSON), for --suite online-mind2web', { default: undefined }),
  onlineMind2web: inputFolder('clone of Online-Mind2Web, whose WebJudge judges', { default: undefined }),
  swebench: inputFile('instances of SWE-bench (JSON lines), for --suite swebench', { default: undefined }),
  roots: inputFolder('unpacked images of the instances of --suite swebench', { default: undefined }),
  webarena: inputFile('configuration of WebArena-Verified (JSON), for --suite webarena-verified', {
    default: undefined,
  }),
  cube: optionalUrl('server of a benchmark of the CUBE standard, for --suite cube', {
    example: 'http://127.0.0.1:8765',
  }),
  download: toggle('let official code download the files of its tasks'),
  results: outputFolder('write the files that the programs of an official benchmark read to this folder', {
    default: undefined,
  }),
};

export const evaluate = command({
  description:
    'Plays held-out tasks and prints success rates with their 95 % intervals (Wilson). Games also print their own scores; with baselines, scores are normalised from random actions (0) to the scripted solution (1). Infrastructure faults are retried. A task that is given up counts as a failure and is listed. False completes are episodes in which the agent said that it had finished a task that was not done; side effects are changes that the task does not ask for, where a verifier compares the whole state. --budgets and --best-of measure success against the step budget, and against the number of attempts among which a judge chooses (with pass@n and the mean); their intervals are over tasks. Official benchmarks (--suite browsergym-miniwob, mobilegym, osworld, windowsagentarena, androidworld, lmgame, browsecomp, online-mind2web, swebench, webarena-verified or cube) are judged by their own code; `gyre bench prepare NAME` installs it. `gyre eval reader` measures a reader of screens.',
  examples: [
    'gyre eval --checkpoint runs/trained.safetensors --episodes 400',
    'gyre eval --policy random --family maze --json',
    'gyre eval --suite widgets --episodes 20 --repeat 4 --directory runs/base',
    'gyre eval --suite all --policy oracle --episodes 20 --discard --record docs/research/baselines.json',
    'gyre eval --suite ./my-suite.js --policy oracle',
    'gyre eval --suite browsergym-miniwob --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --suite mobilegym --mobilegym ../mobilegym --policy random',
    'gyre eval --suite osworld --osworld ../OSWorld --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --suite osworld --osworld ../OSWorld --provider docker --download --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --suite windowsagentarena --windowsagentarena ../WindowsAgentArena-V2 --machines 172.30.0.2 --download --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --suite androidworld --androidworld ../android_world --phones emulator-5554 --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --suite lmgame --lmgame ../GamingAgent --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --suite browsecomp --browsecomp browse_comp_test_set.csv --simple-evals ../simple-evals --judge https://api.openai.com/v1 --model http://127.0.0.1:8000/v1 --search http://127.0.0.1:8080',
    'gyre eval --suite online-mind2web --mind2web Online_Mind2Web.json --online-mind2web ../Online-Mind2Web --judge https://api.openai.com/v1 --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --suite swebench --swebench verified.jsonl --roots roots --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --suite webarena-verified --webarena webarena.json --model http://127.0.0.1:8000/v1 --results results',
    'gyre eval --family maze --budgets 5,10,20,40 --best-of 1,4 --output scaling.html',
  ],
  flags: evalFlags,
  async run(flags, invocation) {
    const benchmarks = await openBenchmarks(flags);
    try {
      return await evaluateFamilies(flags, benchmarks, invocation);
    } finally {
      await closeBenchmarks(benchmarks);
    }
  },
});

async function evaluateFamilies(
  flags: Values<typeof evalFlags>,
  benchmarks: readonly Benchmark[],
  { terminal, signal, seed }: Invocation,
): Promise<Outcome> {
  const { policy, size, record, split, episodes, repeat } = flags;
  const families = await chosenFamilies(flags);
  if (record !== undefined && (policy === 'nano' || size)) {
    throw new UsageError('--record needs the policy random or oracle, and the default screens', {
      field: '--record',
      fix: 'add --policy random or --policy oracle, and omit --size',
    });
  }
  const scales = flags.budgets !== undefined || flags.bestOf !== undefined;
  expectScaling(flags, scales, chosenBenchmarks(flags).some(isJudged));
  // Reports an unreadable file before hours of play.
  const known = await Baselines.read(flags.baselines);
  const recorded = record === undefined ? undefined : await Baselines.read(record, { mayBeMissing: true });
  const judge = flags.judge === 'confidence' || !scales ? undefined : await openJudge(flags.judge, flags.judgeName);
  const tables = new Tables(terminal);
  const opened = await openPolicy(flags);
  try {
    const progress = terminal.progress('eval');
    const directory = flags.discard ? undefined : flags.directory;
    const plan = {
      ...{ ...flags, attempts: repeat, families, directory, seed },
      ...{ purpose: 'eval', searchOf: searchBy(flags) },
    };
    const names = flags.suite?.map((name) => `--suite ${name}`) ?? families.map(({ name }) => `--family ${name}`);
    const commandLine = `gyre eval ${flags.model === undefined ? `--policy ${policy}` : `--model ${flags.model}`} ${names.join(' ')} --episodes ${episodes} --split ${split}${repeat > 1 ? ` --repeat ${repeat}` : ''}`;
    const onLeftOut = (leftOut: readonly SkippedFamilies[]) => {
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
      const lines = [
        ...leftOutLines(leftOut),
        ...unjudgedLines(unjudged, judge?.model),
        ...(opened.statistics?.() ?? []),
      ];
      for (const line of lines) tables.say(line);
      const command = `${commandLine}${flags.budgets ? ` --budgets ${budgets.join(',')}` : ''} --best-of ${bestOf.join(',')}`;
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
    const official = benchmarks.map((benchmark) => benchmarkResult(benchmark, played.results));
    for (const line of [
      ...official.flatMap(benchmarkLines),
      ...endingLines(results),
      ...agentFaultLines(played.counts),
      ...givenUpLines(givenUp),
      ...leftOutLines(leftOut),
      ...(opened.statistics?.() ?? []),
    ])
      tables.say(line);
    const day = new Date().toISOString().slice(0, 10);
    if (recorded && record !== undefined)
      await recorded.with(results.flatMap((result) => entryOf(result, day))).write(record);
    await tables.append(flags.markdown, commandLine);
    return {
      ok: isComplete({ ...played, givenUp, leftOut }, plan),
      result: {
        ...{ results, agentFaults: played.counts.agentFaults, givenUp: givenUpEntries(givenUp), leftOut },
        ...(official.length > 0 && { benchmarks: official }),
      },
      failure,
    };
  } finally {
    await opened.close();
  }
}

const givenUpEntries = (givenUp: readonly GivenUp[]) =>
  givenUp.map(({ task, seed, message }) => ({ task: task.id, seed, message }));

function expectScaling(
  flags: {
    bestOf?: number[] | undefined;
    record?: string | undefined;
    output?: string | undefined;
    results?: string | undefined;
    judge: string;
    repeat: number;
    greedy: boolean;
    discard: boolean;
  },
  scales: boolean,
  /** Whether a model judges every episode. */
  judged: boolean,
): void {
  const { bestOf = [1], record, output, results, judge, repeat, greedy, discard } = flags;
  const refused = (message: string, field: string, fix: string) => new UsageError(message, { field, fix });
  if (results !== undefined && (scales || repeat > 1))
    throw refused('--results has one episode per task', '--results', 'omit it, or --budgets, --best-of and --repeat');
  if (output !== undefined && !scales)
    throw refused('--output needs --budgets or --best-of', '--output', 'add one of them, or omit --output');
  if (scales && record !== undefined)
    throw refused('--record needs one result per family', '--record', 'omit --budgets and --best-of');
  const chooses = Math.max(...bestOf) > 1;
  if (judge !== 'confidence' && !chooses && !judged)
    throw refused('--judge needs several attempts', '--judge', 'add --best-of 4, or omit it');
  if (repeat > 1 && (scales || record !== undefined))
    throw refused('--repeat has no effect on --budgets, --best-of and --record', '--repeat', 'omit it');
  if (greedy && Math.max(repeat, ...bestOf) > 1)
    throw refused('--greedy makes all attempts at a task identical', '--greedy', 'omit it');
  if (judge !== 'confidence' && chooses && discard)
    throw refused('the judge reads screenshots from the lake', '--discard', 'omit it');
}

function unjudgedLines(unjudged: number, model: string | undefined): string[] {
  if (unjudged === 0) return [];
  const why =
    model === undefined
      ? 'the policy returns no log-probabilities; --judge URL uses a model'
      : `${model} gave no verdict`;
  return [`${unjudged} attempts without a judgement: ${why}`];
}
