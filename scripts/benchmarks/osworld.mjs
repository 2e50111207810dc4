// Plays two tasks of our own in OSWorld's JSON on a desktop of gyre, judged by PyPI's desktop-env. With --osworld, the clone's show_result.py
// reads the results, and its tasks that need no download are swept. Needs mousepad, and for the sweep the applications of the tasks.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { benchmarkCode, openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { Sandbox } from '../../packages/sandbox/dist/index.js';
import { startOsworldMachines } from './double/osworldMachines.mjs';
import { sweepOsworld } from './osworld/sweep.mjs';
import { play } from './play.mjs';

const note = {
  id: 'note',
  snapshot: 'os',
  instruction: 'Write hello into note.txt and save it.',
  config: [
    { type: 'execute', parameters: { command: 'touch ~/note.txt', shell: true } },
    { type: 'launch', parameters: { command: 'mousepad ~/note.txt', shell: true } },
    { type: 'sleep', parameters: { seconds: 4 } },
  ],
  related_apps: ['os'],
  evaluator: {
    postconfig: [{ type: 'sleep', parameters: { seconds: 0.5 } }],
    func: 'exact_match',
    result: { type: 'vm_command_line', command: 'cat ~/note.txt', shell: true },
    expected: { type: 'rule', rules: { expected: 'hello' } },
  },
  proxy: false,
};
const infeasible = { ...note, id: 'infeasible', config: [], evaluator: { func: 'infeasible' } };
/** Its evaluator throws a KeyError. */
const broken = {
  ...infeasible,
  id: 'broken',
  evaluator: { ...note.evaluator, expected: { type: 'rule', rules: {} } },
};

const type = [{ type: 'type', text: 'hello' }];
const save = [{ type: 'hotkey', keys: 'ctrl s' }];
const giveUp = [{ type: 'finished', answer: 'This is infeasible.' }];

/** Plays the tasks on machines of OSWorld's own providers, which stand-ins for Docker and VMware start. */
export async function osworldProviders(expectEqual) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-osworld-providers-'));
  const sandbox = await Sandbox.start();
  const machines = await startOsworldMachines(sandbox, folder);
  const before = { ...process.env };
  Object.assign(process.env, machines.env);
  try {
    await writeTasks(folder);
    const image = join(folder, 'machine.vmx');
    await writeFile(image, '');
    for (const provider of ['docker', 'vmware']) {
      const benchmark = await openBenchmark('osworld', { osworld: folder, provider, vm: image });
      try {
        expectEqual(`${provider}: the machine is the official one`, benchmark.place ?? null, null);
        const score = scorer(benchmark);
        expectEqual(`${provider}: nothing done scores 0`, await score(note), 0);
        expectEqual(`${provider}: typed and saved scores 1`, await score(note, type, save), 1);
        expectEqual(`${provider}: an infeasible task called so scores 1`, await score(infeasible, giveUp), 1);
      } finally {
        await benchmark.close();
      }
      // OSWorld reverts VMware's machines, and starts them again, before the first task, too.
      const starts = { docker: 3, vmware: 4 };
      expectEqual(`${provider}: every task had a machine of its own`, machines.started[provider], starts[provider]);
      expectEqual(`${provider}: no machine is left`, machines.running(), 0);
    }
  } finally {
    Object.assign(process.env, before);
    if (before.DOCKER_HOST === undefined) delete process.env.DOCKER_HOST;
    await machines.close();
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeTasks(clone) {
  const examples = join(clone, 'evaluation_examples', 'examples', 'os');
  await mkdir(examples, { recursive: true });
  for (const task of [note, infeasible, broken])
    await writeFile(join(examples, `${task.id}.json`), JSON.stringify(task));
}

function scorer(benchmark) {
  const family = benchmark.suite['osworld.os'];
  const seedOf = (task) => family.seeds.find((seed) => family.create('test', seed).official.task.id === task.id);
  return async (task, ...script) => {
    const { verdict, end } = await play(family, seedOf(task), script);
    return verdict?.score ?? end.state;
  };
}

export async function osworld(expectEqual, { osworld: official }) {
  const clone = await mkdtemp(join(tmpdir(), 'gyre-osworld-check-'));
  const results = join(clone, 'results');
  try {
    await writeTasks(clone);
    const benchmark = await openBenchmark('osworld', { osworld: clone, results, player: 'check' });
    try {
      const score = scorer(benchmark);
      expectEqual('nothing done scores 0', await score(note), 0);
      expectEqual('typed and not saved scores 0', await score(note, type), 0);
      expectEqual('typed, saved and given up scores 0', await score(note, type, save, giveUp), 0);
      expectEqual('typed and saved scores 1', await score(note, type, save), 1);
      expectEqual('done with an infeasible task scores 0', await score(infeasible), 0);
      expectEqual('an infeasible task called so scores 1', await score(infeasible, giveUp), 1);
      expectEqual('call_user on an infeasible task scores 1', await score(infeasible, [{ type: 'call_user' }]), 1);
      expectEqual('an evaluator that throws gives no score', await score(broken, type, save), 'infra_error');
    } finally {
      await benchmark.close();
    }
    const folder = join(results, 'pyautogui', 'screenshot', 'check', 'os');
    const files = (await readdir(join(folder, 'note'))).map((file) => file.replace(/_\d{8}@\d+/, '_TIME'));
    const expected = ['result.txt', 'step_1_TIME.png', 'step_2_TIME.png', 'step_3_TIME.png', 'traj.jsonl'];
    expectEqual('the folder is as lib_run_single.py writes it', files.sort(), expected);
    if (official !== undefined) {
      const program = `from show_result import get_result\nprint("scores", sorted(get_result("pyautogui", "check", "screenshot", ${JSON.stringify(results)})))`;
      const { stdout } = await promisify(execFile)(benchmarkCode('osworld').python, ['-c', program], { cwd: official });
      expectEqual("OSWorld's show_result.py reads the scores", stdout.trim().split('\n').at(-1), 'scores [1.0, 1.0]');
    }
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
  if (official !== undefined) await sweepOsworld(expectEqual, official);
}
