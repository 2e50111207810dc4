import { appendFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import {
  type Recording,
  type Synthesis,
  type SynthModel,
  appNames,
  appPlace,
  rejectionReasons,
  pagePlace,
  printPool,
  readPool,
  readRecording,
  recordedModel,
  recorder,
  servedSynthModel,
  synthesise,
} from '@gyre/tasks';
import { command, UsageError } from '../command.js';
import { address, count, inputFile, name, optionalOneOf, outputFile } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { openPolicy, policyFlags, policyNames } from '../policies/policies.js';
import { prover } from '@gyre/training';
import { firstServedModel } from '../policies/firstServedModel.js';
import { table } from '../terminal/table.js';

export const synth = command({
  description:
    'A model explores the app, lists its functions and composes tasks. Wordings are refined, success criteria judged and duplicates dropped; then a policy attempts each task in real sessions. Unsolved tasks go to FILE.unproved.jsonl. Apps are verified by their store, pages by what they show. A page opens in a local browser without isolation.',
  examples: [
    'gyre tasks synth --app mail --model http://127.0.0.1:8000/v1 --count 20 --tries 3 --out mail.jsonl',
    'gyre tasks synth --app mail --seed 5 --recorded mail.json --count 12 --out mail.jsonl',
    'gyre tasks synth --url https://example.org --model http://127.0.0.1:8000/v1',
  ],
  flags: {
    ...policyFlags,
    policy: optionalOneOf(policyNames, 'policy that attempts the tasks (default: the model; with --recorded: oracle)'),
    app: name(`app to write tasks for: ${appNames.join(', ')}`, { default: undefined }),
    url: address('page to write tasks for, instead of --app', { default: undefined }),
    size: optionalSize('screen in px (default: 640x480 for apps, 1280x720 for pages)'),
    recorded: inputFile('replay a recorded conversation, a JSON file, instead of --model', { default: undefined }),
    record: outputFile('record the model to this JSON file, for --recorded', { default: undefined }),
    count: count('number of tasks to compose', { default: 20 }),
    views: count('maximum number of screens to explore', { default: 6 }),
    tries: count('attempts per task', { default: 3 }),
    out: outputFile('JSONL file of the pool; new tasks are appended', { default: 'synth.jsonl' }),
  },
  async run(flags, { terminal, signal, seed }) {
    const { recorded, record, out, model: url } = flags;
    const recording = recorded === undefined ? undefined : readRecording(await readText('--recorded', recorded));
    const place = placeOf(flags, seed, recording?.start);
    const known = await readPoolFile(out);
    const unprovedFile = out.replace(/(\.jsonl)?$/, '.unproved.jsonl');
    const synthModel = await modelOf(flags, recording, seed);
    const recordingModel = record === undefined ? undefined : recorder(synthModel, place.start);
    const policy = flags.policy ?? (recorded === undefined ? undefined : 'oracle');
    const acting = await openPolicy({
      ...flags,
      policy: policy ?? 'nano',
      model: policy === undefined ? url : undefined,
    });
    const pool = await BrowserPool.launch('url' in place.name ? { clock: 'free', network: 'any' } : {});
    const progress = terminal.progress('synth');
    try {
      const lease = () => pool.lease({ size: place.screen });
      const synthesis = await synthesise({
        place,
        model: recordingModel ?? synthModel,
        lease,
        prove: prover({ ...acting, lease, tries: flags.tries, seed, signal }),
        count: flags.count,
        views: flags.views,
        known,
        date: new Date().toISOString().slice(0, 10),
        signal,
        onProgress: (share, note) => progress.update(share, note),
        // Written at once, so that a later failure loses no paid answers.
        onTask: (task, proved) => appendFileSync(proved ? out : unprovedFile, printPool([task])),
      });
      terminal.end();
      const { tasks, funnel, dropped, site } = synthesis;
      if (synthModel.recorded)
        terminal.print(`replayed the answers in ${recorded} (${synthModel.name}) without a model`);
      if (site.fit !== 'good') terminal.print(`no tasks: the model judges it ${site.fit}, ${site.why}`);
      for (const line of funnelTable(synthesis)) terminal.print(line);
      for (const { instruction, loss, why } of dropped) terminal.log(`${loss}: ${instruction} (${why})`);
      for (const line of acting.statistics?.() ?? []) terminal.print(line);
      terminal.print(`${tasks.length} tasks in ${out}`);
      const result = { model: synthModel.name, recorded: synthModel.recorded, out, site, funnel, dropped, tasks };
      return { ok: tasks.length > 0, result };
    } finally {
      terminal.end();
      if (recordingModel && record !== undefined)
        await writeFile(record, `${JSON.stringify(recordingModel.recording, null, 1)}\n`);
      await Promise.allSettled([pool.close(), acting.close()]);
    }
  },
});

function funnelTable({ funnel }: Synthesis): string[] {
  const { views, functions, malformedAnswers, composed, lost, kept: keptTasks } = funnel;
  const rows = Object.entries(rejectionReasons).map(([loss, why]) => [
    `− ${loss}`,
    String(lost[loss as keyof typeof lost]),
    why,
  ]);
  return table(
    ['step', 'count', ''],
    [
      ['screens seen', String(views), ''],
      ['functions', String(functions), ''],
      ['answers rejected', String(malformedAnswers), 'malformed twice while exploring or composing'],
      ['tasks composed', String(composed), ''],
      ...rows,
      ['tasks kept', String(keptTasks), ''],
    ],
    [0, 2],
  );
}

type Size = { width: number; height: number } | undefined;

function placeOf(
  { app, url, size }: { app?: string | undefined; url?: string | undefined; size?: Size },
  seed: number,
  start?: Recording['start'],
) {
  if ((app === undefined) === (url === undefined)) {
    throw new UsageError(app === undefined ? '--app or --url is missing' : '--app and --url cannot be combined', {
      field: '--app',
      fix: 'add --app mail or --url https://example.org',
    });
  }
  return url === undefined
    ? appPlace(app ?? '', 'train', seed, size, start)
    : pagePlace(url, size ?? { width: 1280, height: 720 });
}

async function modelOf(
  flags: { model?: string | undefined; modelName?: string | undefined },
  recording: Recording | undefined,
  seed: number,
): Promise<SynthModel> {
  const { model: url } = flags;
  if ((recording === undefined) === (url === undefined)) {
    throw new UsageError(url === undefined ? '--model is missing' : '--model and --recorded cannot be combined', {
      field: '--model',
      fix: 'add --model http://127.0.0.1:8000/v1 or --recorded FILE',
    });
  }
  if (recording !== undefined) return recordedModel(recording);
  const apiKey = process.env.OPENAI_API_KEY;
  const model = flags.modelName ?? (await firstServedModel(url ?? '', apiKey));
  return servedSynthModel({ url: url ?? '', model, apiKey }, seed);
}

async function readPoolFile(file: string) {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw unreadable('--out', file, error);
  });
  return readPool(text);
}

async function readText(flag: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(flag, file, error);
  });
}

const unreadable = (field: string, file: string, cause: unknown) =>
  new GyreError('bad_input', `cannot read ${file}`, { field, fix: 'name an existing file', cause });
