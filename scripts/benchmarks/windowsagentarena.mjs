// Plays tasks of our own in WindowsAgentArena's JSON on a stand-in for its machine, set up and judged by a clone's own code, and lets the clone's
// count.py count the results. Needs mousepad.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { benchmarkCode, openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { Sandbox } from '../../packages/sandbox/dist/index.js';
import { startWindowsServer } from './double/windowsServer.mjs';
import { play } from './play.mjs';

const host = '127.0.0.10';
const client = join('src', 'win-arena-container', 'client');

const note = {
  ...{
    id: 'note',
    snapshot: 'notepad',
    instruction: 'Write hello into note.txt and save it.',
    related_apps: ['notepad'],
  },
  config: [
    { type: 'execute', parameters: { command: 'touch ~/note.txt', shell: true } },
    { type: 'launch', parameters: { command: 'mousepad ~/note.txt', shell: true } },
    { type: 'sleep', parameters: { seconds: 4 } },
  ],
  evaluator: {
    postconfig: [{ type: 'sleep', parameters: { seconds: 0.5 } }],
    func: ['exact_match', 'exact_match'],
    result: [
      { type: 'vm_file_exists_in_vm_folder', folder_name: '/home/user', file_name: 'note.txt' },
      { type: 'vm_command_line', command: 'cat ~/note.txt', shell: true },
    ],
    expected: [
      { type: 'rule', rules: { expected: 1 } },
      { type: 'rule', rules: { expected: 'hello' } },
    ],
  },
};
const infeasible = { ...note, id: 'infeasible', config: [], evaluator: { func: 'infeasible' } };
/** Its evaluator throws a KeyError. */
const rule = { type: 'rule', rules: {} };
const broken = { ...infeasible, id: 'broken', evaluator: { ...note.evaluator, expected: [rule, rule] } };

const type = [{ type: 'type', text: 'hello' }];
const save = [{ type: 'hotkey', keys: 'ctrl s' }];
const giveUp = [{ type: 'finished', answer: 'This is infeasible.' }];

export async function windowsagentarena(expectEqual, { windowsagentarena: official }) {
  const clone = await mkdtemp(join(tmpdir(), 'gyre-windowsarena-check-'));
  const sandbox = await Sandbox.start();
  const server = await startWindowsServer(sandbox, host);
  try {
    await cp(join(official, client, 'desktop_env'), join(clone, client, 'desktop_env'), { recursive: true });
    const examples = join(clone, client, 'evaluation_examples_windows', 'examples', 'notepad');
    await mkdir(examples, { recursive: true });
    for (const task of [note, infeasible, broken])
      await writeFile(join(examples, `${task.id}.json`), JSON.stringify(task));
    // Where count.py looks.
    const results = join(clone, client, 'results');
    const places = { windowsagentarena: clone, machines: [host], restart: server.restart, results, player: 'check' };
    const benchmark = await openBenchmark('windowsagentarena', places);
    try {
      const family = benchmark.suite['windowsarena.notepad'];
      const seedOf = (task) => family.seeds.find((seed) => family.create('test', seed).official.task.id === task.id);
      const score = async (task, ...script) => {
        const { verdict, end } = await play(family, seedOf(task), script);
        return verdict?.score ?? end.state;
      };
      expectEqual('nothing done scores 0', await score(note), 0);
      expectEqual('typed and not saved scores 0', await score(note, type), 0);
      expectEqual('typed, saved and given up scores 0', await score(note, type, save, giveUp), 0);
      expectEqual('typed and saved scores 1', await score(note, type, save), 1);
      expectEqual('done with an infeasible task scores 0', await score(infeasible), 0);
      expectEqual('an infeasible task called so scores 1', await score(infeasible, giveUp), 1);
      expectEqual('an evaluator that throws gives no score', await score(broken, type, save), 'infra_error');
    } finally {
      await benchmark.close();
    }
    const expected = ['POST /setup/close_all', 'POST /setup/clear_task_files'];
    expectEqual(
      'the official set-up has closed programs and removed files',
      expected.filter((call) => server.calls.includes(call)),
      expected,
    );
    const { python } = benchmarkCode('windowsagentarena');
    const { stdout } = await promisify(execFile)(
      python,
      [join(official, 'count.py'), '--trial_id', '0', '--agent', 'check'],
      { cwd: clone },
    );
    expectEqual("the clone's count.py counts two scores", /results\.json files: 2/.test(stdout), true);
    await checkTasks(expectEqual, official);
  } finally {
    await server.close();
    await sandbox.close();
    await rm(clone, { recursive: true, force: true });
  }
}

/** Opens the clone's own tasks, and sets none up: they need Windows. */
async function checkTasks(expectEqual, official) {
  const places = { windowsagentarena: official, machines: [host], download: true };
  const { suite, total, leftOut, close } = await openBenchmark('windowsagentarena', places);
  await close();
  const playable = Object.values(suite).flatMap(({ seeds }) => seeds).length;
  const out = leftOut.flatMap(({ tasks }) => tasks).length;
  console.log(`windowsagentarena: ${playable} of ${total} tasks playable; left out: ${JSON.stringify(leftOut)}`);
  expectEqual(
    'every task of the clone is read, and is playable or left out',
    [total > 0, playable + out],
    [true, total],
  );
}
