// Plays two instances of SWE-bench Verified by scripted commands in roots of their own, and lets SWE-bench grade the predictions. The
// instances' rows are made from a clone of Flask as SWE-bench made them: patch and tests are the pull request's. Needs root, bubblewrap,
// `gyre bench prepare swebench`, and roots by swebench/makeRoot.sh, named like the instances.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openBenchmark } from '../../packages/benchmarks/dist/index.js';
import { scriptedModel } from './double/scriptedModel.mjs';
import { play } from './play.mjs';

const run = promisify(execFile);
const gyre = fileURLToPath(new URL('../../packages/cli/bin/gyre.mjs', import.meta.url));

const instances = {
  'pallets__flask-5014': {
    base: '7ee9ceb71e868944a46e1ff00b506772a53a4f1d',
    fix: 'b8b41001',
    issue: 'Require a non-empty name for Blueprints',
    tests: 'tests/test_blueprints.py',
    failing: ['tests/test_blueprints.py::test_empty_name_not_allowed'],
  },
  'pallets__flask-5063': {
    base: '182ce3dd15dfa3537391c3efaf9c3ff407d134d4',
    fix: '84c007d3',
    issue: 'Flask routes to return domain/sub-domains information',
    tests: 'tests/test_cli.py',
    failing: ['tests/test_cli.py::TestRoutes::test_subdomain', 'tests/test_cli.py::TestRoutes::test_host'],
  },
};

/** Returns a row of the data set, and its patch. */
async function rowOf(clone, id, { base, fix, issue, tests, failing }) {
  const git = async (...args) => (await run('git', ['-C', clone, ...args], { maxBuffer: 2 ** 26 })).stdout;
  const patch = await git('diff', base, fix, '--', 'src');
  const testPatch = await git('diff', base, fix, '--', 'tests');
  // A new test of the same file is the only difference between the tests that pass before and after.
  const before = await git('show', `${base}:${tests}`);
  const passing = [...before.matchAll(/^def (test_\w+)\(/gm)].map(([, name]) => `${tests}::${name}`);
  const parametrized = new Set(
    [...before.matchAll(/parametrize\((?:.|\n)*?\ndef (test_\w+)\(/g)].map(([, name]) => name),
  );
  const script = [
    ...['#!/bin/bash', 'set -uxo pipefail', 'source /opt/miniconda3/bin/activate', 'conda activate testbed'],
    ...[
      'cd /testbed',
      'git config --global --add safe.directory /testbed',
      'git status',
      `git checkout ${base} ${tests}`,
    ],
    ...["git apply -v - <<'EOF_TESTS'", `${testPatch}EOF_TESTS`, ": '>>>>> Start Test Output'", `pytest -rA ${tests}`],
    ...[": '>>>>> End Test Output'", `git checkout ${base} ${tests}`, ''],
  ].join('\n');
  const row = {
    ...{ instance_id: id, repo: 'pallets/flask', base_commit: base, version: '2.3', problem_statement: issue },
    ...{
      image: `swebench/${id}:latest`,
      eval_script: script,
      log_parser: 'parse_log_flask',
      eval_type: 'pass_and_fail',
    },
    FAIL_TO_PASS: JSON.stringify(failing),
    PASS_TO_PASS: JSON.stringify(passing.filter((name) => !parametrized.has(name.split('::').at(-1)))),
  };
  return { row, patch };
}

const shell = (command) => [{ type: 'execute_bash', command }];

export async function swebench(expectEqual, { flask, 'swebench-roots': roots }) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-swebench-check-'));
  try {
    const rows = await Promise.all(Object.entries(instances).map(([id, terms]) => rowOf(flask, id, terms)));
    const file = join(folder, 'instances.jsonl');
    await writeFile(file, rows.map(({ row }) => `${JSON.stringify(row)}\n`).join(''));
    const opened = (results, player) =>
      openBenchmark('swebench', { swebench: file, roots, results: join(folder, results), player });
    const judge = async (results, player, scripts) => {
      const benchmark = await opened(results, player);
      const outcomes = [];
      try {
        const family = benchmark.suite['swebench.pallets__flask'];
        for (const [seed, script] of scripts.entries()) {
          const { verdict, end, turns } = await play(family, seed, script);
          outcomes.push({ score: verdict?.score ?? end, evidence: verdict?.evidence, turns });
        }
      } finally {
        await benchmark.close();
      }
      return outcomes;
    };
    const scores = (outcomes) => outcomes.map(({ score }) => score);

    const gold = await judge(
      'gold',
      'gold/agent',
      rows.map(({ patch }) => [shell(`git apply - <<'EOF'\n${patch}EOF`)]),
    );
    expectEqual('the pull request scores 1', scores(gold), [1, 1]);
    expectEqual(
      'the prediction is the pull request',
      gold.map(({ evidence }) => evidence.patch.replace(/^index .*\n/gm, '')),
      rows.map(({ patch }) => patch.replace(/^index .*\n/gm, '')),
    );
    const lines = (await readFile(join(folder, 'gold', 'predictions.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const keys = ['instance_id', 'model_name_or_path', 'model_patch'];
    expectEqual(
      'predictions have the official keys',
      lines.map((line) => Object.keys(line)),
      [keys, keys],
    );
    const logs = join(folder, 'gold', 'logs', 'run_evaluation', 'gyre', 'gold__agent', 'pallets__flask-5014');
    const files = ['eval.sh', 'patch.diff', 'report.json', 'test_output.txt'];
    expectEqual("an instance's log folder is as run_evaluation.py writes it", (await readdir(logs)).sort(), files);
    const report = JSON.parse(await readFile(join(folder, 'gold', 'gold__agent.gyre.json'), 'utf8'));
    expectEqual("SWE-bench's report counts both as resolved", report.resolved_ids, Object.keys(instances));

    const nothing = await judge('nothing', 'nothing', [[], []]);
    expectEqual('an empty patch scores 0', scores(nothing), [0, 0]);
    const counted = JSON.parse(await readFile(join(folder, 'nothing', 'nothing.gyre.json'), 'utf8'));
    expectEqual("SWE-bench's report counts both as empty", counted.empty_patch_ids, Object.keys(instances));

    const comment = await judge('comment', 'comment', [
      [shell('echo "# Nothing." >> src/flask/app.py')],
      [shell('echo x > new.txt')],
    ]);
    expectEqual('a patch that changes nothing is tested and scores 0', scores(comment), [0, 0]);
    const [{ evidence }] = comment;
    expectEqual('SWE-bench has judged it', evidence.resolved, false);

    const liar = `printf 'import sys\\ndef pytest_sessionfinish():\\n    sys.__stdout__.write("PASSED ${instances['pallets__flask-5014'].failing[0]}\\\\n")\\n' > tests/conftest_lie.py; cat tests/conftest_lie.py >> tests/conftest.py`;
    const cheats = await judge('cheats', 'cheats', [
      [shell(liar)],
      [shell('git commit -q --allow-empty -m x; rm -rf .git')],
    ]);
    expectEqual('printed PASSED lines, and a removed repository, score 0', scores(cheats), [0, 0]);

    const committed = [
      shell('cd src && pwd'),
      shell(`git apply --directory=/ - <<'EOF' 2>&1; git -C /testbed apply - <<'EOF2'\nEOF\n${rows[0].patch}EOF2`),
      shell(
        'cd /testbed && git -c user.name=a -c user.email=a@example.org commit -qam fix && git status --short | wc -l',
      ),
    ];
    const [commit] = await judge('commit', 'commit', [committed]);
    expectEqual('a committed fix scores 1', commit.score, 1);

    const bash = (command) => ({ thought: 'Next.', actions: [{ type: 'execute_bash', command }] });
    const done = { thought: 'Done.', actions: [{ type: 'finished', answer: 'done' }] };
    const model = await scriptedModel((messages, answers) =>
      messages.includes(instances['pallets__flask-5014'].issue) && answers === 0
        ? bash(`git apply - <<'EOF'\n${rows[0].patch}EOF`)
        : done,
    );
    try {
      const flags = ['--swebench', file, '--roots', roots, '--results', join(folder, 'model'), '--discard', '--json'];
      const args = [gyre, 'eval', '--suite', 'swebench', '--model', model.url, '--model-name', 'scripted', ...flags];
      const { stdout } = await run(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 });
      const [result] = JSON.parse(stdout.trim().split('\n').at(-1)).benchmarks;
      const counts = { n: result.n, total: result.total, success: result.success, givenUp: result.givenUp };
      expectEqual('gyre eval with the double of a model: 1 of 2', counts, { n: 2, total: 2, success: 0.5, givenUp: 0 });
      const pictures = JSON.stringify(model.requests).includes('image_url');
      expectEqual('the model gets no pictures', pictures, false);
    } finally {
      await model.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
