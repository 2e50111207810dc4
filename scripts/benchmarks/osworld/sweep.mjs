// Judges what OSWorld's evaluators say of every task that a clone's files and this machine's programs let gyre play: nothing done, given up,
// and scripted solutions. Prints a table. Takes about 40 minutes on two busy cores.
import { writeFile } from 'node:fs/promises';
import { openBenchmark } from '../../../packages/benchmarks/dist/index.js';
import { play } from '../play.mjs';
import { solutions } from './solutions.mjs';

const giveUp = [[{ type: 'call_user' }]];

/** Returns the score, or the message of an infrastructure error. */
async function judge(family, seed, script) {
  try {
    const { verdict, end } = await play(family, seed, script);
    return verdict?.score ?? end.message ?? end.state;
  } catch (error) {
    if (error.code !== 'infra') throw error;
    return error.message;
  }
}

const isScore = (outcome) => typeof outcome === 'number';

function printTable(rows) {
  const domains = [...new Set(rows.map(({ domain }) => domain))];
  console.log('domain               tasks  feasible  nothing 0  FAIL 0  infeasible  nothing 0  FAIL 1  solved  errors');
  for (const domain of [...domains, 'all']) {
    const listed = rows.filter((row) => domain === 'all' || row.domain === domain);
    const [feasible, infeasible] = [listed.filter((row) => !row.infeasible), listed.filter((row) => row.infeasible)];
    const count = (list, key, score) => list.filter((row) => row[key] === score).length;
    const numbers = [
      ...[listed.length, feasible.length, count(feasible, 'nothing', 0), count(feasible, 'failed', 0)],
      ...[infeasible.length, count(infeasible, 'nothing', 0), count(infeasible, 'failed', 1)],
      ...[
        count(listed, 'solved', 1),
        listed.filter(({ nothing, failed }) => !isScore(nothing) || !isScore(failed)).length,
      ],
    ];
    const widths = [7, 10, 11, 8, 12, 11, 8, 8, 8];
    console.log(domain.padEnd(19) + numbers.map((number, index) => String(number).padStart(widths[index])).join(''));
  }
}

/** SWEEP_TASKS, a list of prefixes of ids, limits it; SWEEP_ONLY=solutions leaves doing nothing and giving up out. */
export async function sweepOsworld(expectEqual, clone) {
  const benchmark = await openBenchmark('osworld', { osworld: clone });
  console.log(benchmark.revision);
  for (const { tasks, reason } of benchmark.leftOut) console.log(`left out: ${tasks.length} tasks: ${reason}`);
  const prefixes = process.env.SWEEP_TASKS?.split(',');
  const onlySolutions = process.env.SWEEP_ONLY === 'solutions';
  const rows = [];
  try {
    for (const family of Object.values(benchmark.suite)) {
      for (const seed of family.seeds) {
        const { domain, task } = family.create('test', seed).official;
        const id = task.id.slice(0, 8);
        if (prefixes && !prefixes.some((prefix) => task.id.startsWith(prefix))) continue;
        if (onlySolutions && !Object.hasOwn(solutions, id)) continue;
        const infeasible = task.evaluator.func === 'infeasible';
        const row = { domain, id, infeasible };
        if (!onlySolutions) {
          row.nothing = await judge(family, seed, []);
          row.failed = await judge(family, seed, giveUp);
        }
        if (Object.hasOwn(solutions, id)) row.solved = await judge(family, seed, solutions[id]);
        rows.push(row);
        console.log(JSON.stringify(row));
        if (process.env.SWEEP_FILE) await writeFile(process.env.SWEEP_FILE, JSON.stringify(rows, undefined, 1));
        const name = `${domain}/${id}`;
        if (!onlySolutions) expectEqual(`${name}: nothing, FAIL`, [row.nothing, row.failed], [0, infeasible ? 1 : 0]);
        if (row.solved !== undefined) expectEqual(`${name}: solved by a script`, row.solved, 1);
      }
    }
  } finally {
    await benchmark.close();
  }
  printTable(rows);
}
