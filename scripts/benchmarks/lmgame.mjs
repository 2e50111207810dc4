// Plays LMGame-Bench's four games in its own environments: scripted, against counts of our own; read by its evaluation notebook's
// functions; and by random inputs. Needs `--lmgame DIR`, a clone of GamingAgent.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { benchmarkCode, openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { Random } from '../../packages/tasks/dist/index.js';
import { candy, findSwap, hotkey, merged, textOf } from './lmgame/bots.mjs';
import { boxesOnDocks, readLevels, solve } from './lmgame/sokoban.mjs';
import { TetrisBot } from './lmgame/tetris.mjs';
import { play } from './play.mjs';

const pieces = 60;

export async function lmgame(expectEqual, { lmgame: clone }) {
  if (clone === undefined) throw new Error('add --lmgame with a clone of https://github.com/lmgame-org/GamingAgent');
  const results = await mkdtemp(join(tmpdir(), 'gyre-lmgame-check-'));
  try {
    const terms = { lmgame: clone, player: 'check', parallel: 1, lmgameText: true };
    const scores = await playScripted(expectEqual, { ...terms, results: join(results, 'cache') }, clone);
    await readByNotebook(expectEqual, clone, results, scores);
    await playRandomly(expectEqual, { ...terms, lmgameText: false });
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

async function playScripted(expectEqual, terms, clone) {
  const benchmark = await openBenchmark('lmgame', terms);
  const run = async (game, script) => {
    const { verdict, turns, end } = await play(benchmark.suite[`lmgame.${game}`], 0, script);
    if (!verdict) throw new Error(`${game}: ${JSON.stringify(end)}`);
    return { score: verdict.evidence.report.score, ...verdict.evidence, turns };
  };
  const logOf = async (game) => {
    const file = join(terms.results, game, 'check', 'run_1', 'episode_001_log.jsonl');
    return (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  try {
    expectEqual('it has three runs of four games', benchmark.total, 12);

    const folder = join(clone, 'gamingagent', 'envs', 'custom_02_sokoban', 'assets');
    const levels = readLevels(await readFile(join(folder, 'levels.txt'), 'utf8'));
    const solutions = levels.map((level) => solve(level));
    const keys = solutions.flat().map(({ direction, push }) => [push ? hotkey('shift', direction) : hotkey(direction)]);
    const sokoban = await run('sokoban', keys.slice(0, 200));
    let [budget, boxes] = [200, 0];
    levels.forEach((level, index) => {
      const moves = solutions[index].slice(0, budget);
      budget -= moves.length;
      if (moves.length > 0) boxes += boxesOnDocks(level, moves);
    });
    const lengths = solutions.map((moves) => moves.length).join(', ');
    expectEqual(`sokoban: shortest solutions of ${lengths} moves put ${boxes} boxes on docks`, sokoban.score, boxes);
    const sokobanLog = await logOf('sokoban');
    const levelEnds = solutions.filter((moves, index) => index < 5 && moves.length > 0).length;
    expectEqual('sokoban: the log lacks the steps that end levels', sokobanLog.length, sokoban.steps - levelEnds);

    const bot = new TetrisBot();
    const tetris = await run('tetris', (context) => {
      const text = textOf(context);
      if (context.turns.length === pieces) return [{ type: 'finished' }];
      const first = /[IOTSZJL]/.exec(text.slice(text.indexOf('Board:\n') + 7, text.indexOf('( ')))[0];
      const name = context.turns.length === 0 ? first : bot.next;
      bot.next = /Next Pieces: (\w)/.exec(text)[1];
      return bot.place(name).map((key) => hotkey(key));
    });
    expectEqual(`tetris: ${pieces} pieces and ${bot.lines} lines are ${bot.points} points`, tetris.score, bot.points);
    expectEqual('tetris: has cleared a line', bot.lines > 0, true);

    const candyCrush = await run('candy_crush', (context) => {
      const [from, to] = findSwap(textOf(context));
      const clicks = [from, to].map((cell) => ({ type: 'click', point: candy(cell) }));
      return context.turns.length % 2 ? clicks : [{ type: 'drag', start: candy(from), end: candy(to) }];
    });
    const candyLog = await logOf('candy_crush');
    const vanished = candyLog.reduce((sum, { info }) => sum + info.score, 0);
    expectEqual('candy_crush: 50 moves, by drags and by clicks', [candyCrush.steps, candyLog.length], [50, 50]);
    expectEqual(`candy_crush: every move counts, ${vanished} candies vanish`, candyCrush.score, vanished);
    expectEqual(
      'candy_crush: every move removes candies',
      Math.min(...candyLog.map(({ info }) => info.score)) >= 3,
      true,
    );

    const order = ['up', 'left', 'right', 'down'];
    const twenty = await run('twenty_forty_eight', ({ turns }) => [hotkey(order[turns.length % 4])]);
    const twentyLog = await logOf('twenty_forty_eight');
    const sum = twentyLog
      .slice(1)
      .reduce(
        (total, { agent_action: action }, index) => total + merged(twentyLog[index].info.board, action),
        twentyLog[0].reward,
      );
    expectEqual(`twenty_forty_eight: tiles of ${sum} are merged in ${twenty.steps} moves`, twenty.score, sum);
    return { sokoban, tetris, candy_crush: candyCrush, twenty_forty_eight: twenty };
  } finally {
    await benchmark.close();
  }
}

/** The notebook's module imports packages for its charts. */
const notebook = `
import contextlib, json, os, sys
from unittest.mock import MagicMock
for name in ["requests", "pandas", "matplotlib", "matplotlib.pyplot", "cvxpy", "scipy", "scipy.optimize"]:
    sys.modules[name] = MagicMock()
sys.path.insert(0, os.path.join(sys.argv[1], "eval"))
import notebook_utils
with contextlib.redirect_stdout(sys.stderr):
    found = notebook_utils.process_evaluation_run_map(notebook_utils.generate_evaluation_map({"cache_directory": "cache"}))
print(json.dumps({key[0]: [key[1:], [each["total_perf_score"] for each in runs]] for key, runs in found.items()}))
`;

/** One environment for all runs, as in single_agent_runner.py, remembers the level that the run before has reached. */
const secondRun = `
import contextlib, sys, types
sys.path.insert(0, sys.argv[1])
sys.modules["tools.serving"] = types.ModuleType("tools.serving")
sys.modules["tools.serving"].APIManager = None
with contextlib.redirect_stdout(sys.stderr):
    from gamingagent.envs.custom_02_sokoban.sokobanEnv import SokobanEnv
    env = SokobanEnv(level_to_load=1, agent_cache_dir_for_adapter="runs", game_specific_config_path_for_adapter=sys.argv[1] + "/gamingagent/envs/custom_02_sokoban/game_env_config.json")
    env.reset(seed=42, episode_id=1)
    for action in sys.argv[2].split(","):
        env.step(action)
    env.reset(seed=43, episode_id=2)
print(env.current_level)
`;

async function readByNotebook(expectEqual, clone, cwd, scores) {
  const python = async (program, ...args) =>
    JSON.parse((await promisify(execFile)(benchmarkCode('lmgame').python, ['-c', program, ...args], { cwd })).stdout);
  const read = await python(notebook, clone);
  const key = ['check', 'both', false];
  for (const game of ['tetris', 'candy_crush', 'twenty_forty_eight'])
    expectEqual(`${game}: their notebook reads the score`, read[game], [key, [scores[game].score]]);
  const [, [sum]] = read.sokoban;
  expectEqual(`sokoban: their notebook adds ${sum} up from a running total`, sum > scores.sokoban.score, true);
  for (const [game, { score, steps }] of Object.entries(scores)) {
    const file = join(cwd, 'cache', game, 'check', 'run_1', 'gym_run_summary.json');
    const { individual_run_results: runs } = JSON.parse(await readFile(file, 'utf8'));
    expectEqual(
      `${game}: gym_run_summary.json has the run`,
      runs.map((run) => [run.score, run.steps]),
      [[score, steps]],
    );
  }
  const [level] = readLevels(
    await readFile(join(clone, 'gamingagent/envs/custom_02_sokoban/assets/levels.txt'), 'utf8'),
  );
  const moves = solve(level).map(({ direction, push }) => (push ? `push ${direction}` : direction));
  expectEqual(
    'sokoban: in one environment, a second run would begin at level 2',
    await python(secondRun, clone, moves.join()),
    2,
  );
}

const inputs = {
  sokoban: ['up', 'down', 'left', 'right'].flatMap((key) => [hotkey(key), hotkey('shift', key)]),
  tetris: ['left', 'right', 'up', 'z', 'down', 'space'].map((key) => hotkey(key)),
  twenty_forty_eight: ['up', 'down', 'left', 'right'].map((key) => hotkey(key)),
};

function randomSwap(random) {
  const [cell, down] = [[random.between(0, 6), random.between(0, 6)], random.between(0, 1)];
  const neighbour = [cell[0] + down, cell[1] + 1 - down];
  return { type: 'drag', start: candy(cell), end: candy(neighbour) };
}

async function playRandomly(expectEqual, terms) {
  const benchmark = await openBenchmark('lmgame', terms);
  try {
    for (const [name, family] of Object.entries(benchmark.suite)) {
      const game = name.slice('lmgame.'.length);
      const scores = [];
      for (const seed of family.seeds) {
        const random = new Random(`${name} ${seed}`);
        const draw = () => [game === 'candy_crush' ? randomSwap(random) : random.pick(inputs[game])];
        scores.push((await play(family, seed, draw)).verdict.evidence.report.score);
      }
      const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
      expectEqual(`${game}: random inputs score ${scores.join(', ')}, mean ${mean.toFixed(1)}`, scores.length, 3);
    }
  } finally {
    await benchmark.close();
  }
}
