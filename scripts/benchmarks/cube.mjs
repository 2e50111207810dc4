import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBenchmark } from '../../packages/benchmarks/dist/index.js';

const serve = fileURLToPath(new URL('./cube/serve.py', import.meta.url));
const packages = ['cube-standard==0.1.0rc10', 'arithmetic-cube==0.1.0'];

/** Plays a real CUBE benchmark, arithmetic-cube, at its own server. Needs uv, Python 3.12 (`PYTHON` names another) and a package index. */
export async function cube(expectEqual) {
  const folder = mkdtempSync(join(tmpdir(), 'gyre-cube-'));
  // Its own process group: the server starts one for each task, and ends none.
  let server;
  try {
    const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
    execFileSync('uv', ['venv', '--quiet', '--python', process.env.PYTHON ?? '3.12', join(folder, 'venv')], quiet);
    const python = join(folder, 'venv', 'bin', 'python');
    execFileSync('uv', ['pip', 'install', '--quiet', '--python', python, ...packages], quiet);
    server = spawn(python, [serve, 'arithmetic_cube', 'ArithmeticBenchmarkConfig'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const [line] = await once(server.stdout, 'data');
    await play(String(line).trim(), expectEqual);
  } finally {
    if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(url, expectEqual) {
  const benchmark = await openBenchmark('cube', { cube: url });
  expectEqual('tasks', benchmark.total, 4);
  expectEqual('revision', benchmark.revision, 'arithmetic-cube 0.1.0 at a CUBE server');
  const family = benchmark.suite['cube.arithmetic-cube'];
  const submit = (answer) => [{ type: 'mcp_tool', server: 'cube', tool: 'submit_answer', arguments: { answer } }];
  const agents = [
    ['a solver', (right) => submit(right), 1],
    ['a wrong answer', (right) => submit(right + 1), 0],
    ['an agent that ends at once', () => [{ type: 'finished' }], 0],
  ];
  for (const seed of family.seeds) {
    for (const [agent, act, score] of agents) {
      const environment = family.open(family.create('test', seed));
      await environment.reset();
      const [, a, operation, b] = /What is (\d+) (.) (\d+)\?/.exec(environment.task.instruction);
      const right = { '+': +a + +b, '-': a - b, '*': a * b }[operation];
      const { done, results } = await environment.step(act(right));
      const verdict = await environment.verdict();
      await environment.close();
      const seen = JSON.stringify([environment.task, results, verdict.evidence]);
      expectEqual(`task ${seed}, ${agent}`, [verdict.score, done, seen.includes('expected')], [score, true, false]);
    }
  }
  const environment = family.open(family.create('test', 0));
  await environment.reset();
  const tools = (await environment.tools()).map(({ name }) => name);
  expectEqual('tools', tools, ['submit_answer']);
  const { results } = await environment.step(submit('seven'));
  expectEqual('a bad argument is told, and is no fault', results.length, 1);
  await environment.close();
  await benchmark.close();
}
