// Plays tasks of AndroidWorld on the double of a phone behind a real adb server. Its official code sets them up and judges them; gyre's loop
// acts. Compares goals with create_suite in a process of its own, and gyre's ADB commands with execute_adb_action's. Needs adb and bwrap.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { benchmarkCode, openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { jsonActionOf } from '../../packages/benchmarks/dist/androidworld/actions.js';
import { plugIn, unplug } from '../../packages/sandbox/dist/phone/double/pluggedIn.js';
import { startPrivateServer } from '../../packages/sandbox/dist/phone/double/privateServer.js';
import { Phone } from '../../packages/sandbox/dist/index.js';
import { AndroidWorldPhone } from './double/androidWorldPhone.mjs';
import { play } from './play.mjs';

const button = { type: 'click', point: { x: 0.5, y: 0.55 } };
const official = fileURLToPath(new URL('./androidworld/official.py', import.meta.url));

export async function androidworld(expectEqual, { androidworld: clone }) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-androidworld-check-'));
  const server = await startPrivateServer();
  const packages = ['com.example.launcher', 'com.android.settings', 'net.gsantner.markor'];
  const device = new AndroidWorldPhone(join(folder, 'phone'));
  const phone = await plugIn(server, { device });
  const ask = async (...words) => {
    const { python } = benchmarkCode('androidworld');
    const env = { ...process.env, GYRE_ANDROIDWORLD: clone, ADB_PORT: String(server.port), SERIAL: phone.serial };
    const { stdout } = await promisify(execFile)(python, [official, ...words], { env, maxBuffer: 2 ** 26 });
    return JSON.parse(stdout.trim().split('\n').at(-1));
  };
  try {
    const results = join(folder, 'results');
    const places = { androidworld: clone, phones: [phone.serial], results, player: 'check' };
    process.env.ANDROID_ADB_SERVER_PORT = String(server.port);
    const { goals, packages: needed } = await ask('suite');
    device.install([...packages, ...needed]);
    await withBenchmark(places, ({ suite, total }) => checkGoals(expectEqual, suite, total, goals));
    device.install(packages);
    await withBenchmark(places, async (benchmark) => {
      checkLeftOut(expectEqual, benchmark);
      await checkEpisodes(expectEqual, benchmark, device);
    });
    const counted = await ask('results', join(results, 'check'));
    expectEqual("AndroidWorld's process_episodes counts the files", counted, [
      ['MarkorCreateNote', 1, 1],
      ['SystemBrightnessMax', 1, 0],
      ['SystemBrightnessMin', 1, 0],
    ]);
    await checkActions(expectEqual, { device, phone, server, ask });
  } finally {
    delete process.env.ANDROID_ADB_SERVER_PORT;
    await unplug(server, phone);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function withBenchmark(places, check) {
  const benchmark = await openBenchmark('androidworld', places);
  try {
    await check(benchmark);
  } finally {
    await benchmark.close();
  }
}

const instancesOf = (suite) =>
  Object.values(suite).flatMap((family) =>
    family.seeds.map((seed) => ({ family, seed, ...family.create('test', seed) })),
  );

function checkGoals(expectEqual, suite, total, goals) {
  expectEqual('116 tasks', total, 116);
  // The name of one folder has the time of the draw.
  const timeless = (goal) => goal.replace(/folder_\d{8}_\d{6}/, 'folder_TIME');
  const played = instancesOf(suite).sort((a, b) => (a.official < b.official ? -1 : 1));
  const drawn = played.map(({ official: name, task }) => [name, timeless(task.instruction), task.stepBudget]);
  const expected = Object.entries(goals).map(([name, [goal, budget]]) => [name, timeless(goal), budget]);
  expectEqual(
    `goals and budgets of ${drawn.length} tasks equal those of create_suite and its seed 30`,
    drawn,
    expected,
  );
}

function checkLeftOut(expectEqual, { suite, leftOut, place }) {
  expectEqual('another phone than the official one is named', place, 'Double, API 33, 270 x 480');
  const played = instancesOf(suite).map(({ official: name }) => name);
  const out = leftOut.flatMap(({ tasks }) => tasks);
  expectEqual('every task is played or left out', played.length + out.length, 116);
  const both = [played.includes('MarkorCreateNote'), out.includes('ExpenseAddSingle')];
  expectEqual('tasks whose apps are missing are left out, and no others', both, [true, true]);
}

async function checkEpisodes(expectEqual, { suite }, device) {
  const instances = instancesOf(suite);
  const score = async (name, ...script) => {
    const { family, seed } = instances.find(({ official: each }) => each === name);
    const { verdict, end } = await play(family, seed, script);
    return verdict === undefined ? end.state : [verdict.score, verdict.evidence.reached];
  };
  const brighten = [{ type: 'open_app', name: 'settings' }, button];
  expectEqual('nothing done scores 0', await score('SystemBrightnessMax'), [0, 0]);
  expectEqual('brightness turned up and finished scores 1', await score('SystemBrightnessMax', brighten), [1, 1]);
  expectEqual('turned up where it should be down scores 0', await score('SystemBrightnessMin', brighten), [0, 0]);
  const waits = Array.from({ length: 10 }, () => [{ type: 'wait', seconds: 0 }]);
  expectEqual(
    'turned up without a word that it is done scores 0',
    await score('SystemBrightnessMax', brighten, ...waits),
    [0, 1],
  );
  const { task } = instances.find(({ official: each }) => each === 'MarkorCreateNote');
  const [, name, text] = /named (\S+) with the following text: (.+)$/s.exec(task.instruction);
  const note = (content) => [
    { type: 'open_app', name: 'Markor' },
    { type: 'type', text: `${name} ${content}` },
    button,
  ];
  expectEqual('a note with another text scores 0', await score('MarkorCreateNote', note('something else')), [0, 0]);
  expectEqual('the right note scores 1', await score('MarkorCreateNote', note(text)), [1, 1]);
  const { runProgram } = device;
  device.runProgram = (program, words) =>
    program === 'settings' && words[0] === 'get' && words[2] === 'screen_brightness'
      ? { status: 0, output: 'null\n' }
      : runProgram.call(device, program, words);
  expectEqual('an evaluator that throws gives no score', await score('SystemBrightnessMax', brighten), 'infra_error');
  device.runProgram = runProgram;
}

/** Plays each action by gyre and by AndroidWorld's own execute_adb_action, and compares what the phone is told. */
async function checkActions(expectEqual, { device, phone, server, ask }) {
  const machine = await Phone.connect({ serial: phone.serial, port: server.port, settle: false });
  const commandsOf = async (act) => {
    device.log.length = 0;
    await act();
    return device.log
      .filter(([program]) => program === 'input' || (program === 'am' && device.log.length < 20))
      .map((words) => words.join(' '));
  };
  const point = { x: 0.25, y: 0.75 };
  const equal = [
    { type: 'click', point },
    { type: 'press_home' },
    { type: 'press_back' },
    { type: 'hotkey', keys: 'enter' },
  ];
  const official = (action) => ask('act', JSON.stringify(jsonActionOf(action, machine.size)));
  try {
    for (const action of equal) {
      const ours = (await commandsOf(() => machine.act(action))).map(keyCodes);
      const theirs = (await commandsOf(() => official(action))).map(keyCodes);
      expectEqual(`${action.type} is the same ADB command`, ours, theirs);
    }
    const rest = {
      double_click: { point },
      long_press: { point },
      scroll: { direction: 'down' },
      type: { text: 'hello world' },
    };
    for (const [type, fields] of Object.entries(rest)) {
      const action = { type, ...fields };
      const gesture = (lines) => lines.map((line) => line.split(' ').slice(0, 2).join(' '))[0];
      expectEqual(
        `${type} is the same kind of ADB command`,
        gesture(await commandsOf(() => machine.act(action))),
        gesture(await commandsOf(() => official(action))),
      );
    }
  } finally {
    await machine.close();
  }
}

/** Names keys by their numbers. */
const keyCodes = (line) =>
  line.replace('KEYCODE_HOME', '3').replace('KEYCODE_BACK', '4').replace('KEYCODE_ENTER', '66');
