// Harbor judges two tasks of our own on sessions of gyre: its oracle and nop agents, and gyre's agent with the double of a model. Needs
// root, bubblewrap and `gyre bench prepare harbor`.
import { execFile } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { benchmarkCode } from '../../packages/benchmarks/dist/index.js';
import { AccessTokens, Sandbox, serveSandbox } from '../../packages/sandbox/dist/index.js';
import { scriptedModel } from './double/scriptedModel.mjs';

const run = promisify(execFile);
const gyre = `${process.execPath} ${fileURLToPath(new URL('../../packages/cli/bin/gyre.mjs', import.meta.url))}`;

const config = (workdir) => `schema_version = "1.4"
[metadata]
author_name = "gyre"
[verifier]
timeout_sec = 60.0
[agent]
timeout_sec = 120.0
[environment]
network_mode = "no-network"
workdir = "${workdir}"
cpus = 1
memory_mb = 512
`;

/** Writes the reward, 1 if the script succeeds. */
const test = (script) => `#!/bin/bash
if ${script}; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
`;

const tasks = {
  greeting: {
    workdir: '/app',
    instruction: 'Write hello into /app/greeting.txt.',
    solution: '#!/bin/bash\necho hello > /app/greeting.txt\n',
    test: test('[ "$(cat /app/greeting.txt)" = hello ]'),
  },
  system: {
    workdir: '/srv/work',
    instruction: 'Sum the numbers in numbers.txt into /etc/sum.conf, as root, and make it readable for its owner only.',
    solution: `#!/bin/bash\nset -e\nprintf '1\\n2\\n39\\n' > numbers.txt\necho 42 > /etc/sum.conf\nchmod 600 /etc/sum.conf\n`,
    test: test('[ "$(cat /etc/sum.conf)" = 42 ] && [ "$(stat -c %a:%u /etc/sum.conf)" = 600:0 ]'),
  },
};

async function writeTask(folder, { workdir, instruction, solution, test: verifier }) {
  const files = {
    'task.toml': config(workdir),
    'instruction.md': `${instruction}\n`,
    'environment/Dockerfile': `FROM debian:bookworm\nWORKDIR ${workdir}\n`,
    'solution/solve.sh': solution,
    'tests/test.sh': verifier,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    if (path.endsWith('.sh')) await chmod(join(folder, path), 0o755);
  }
}

/** Solves the greeting, in two commands that share a folder, and does not solve the other task. */
function script(messages, answers) {
  const command = (text) => ({ thought: 'Next.', actions: [{ type: 'execute_bash', command: text }] });
  const done = { thought: 'Done.', actions: [{ type: 'finished', answer: 'done' }] };
  if (!messages.includes('greeting.txt')) return answers === 0 ? command('echo 41 > /etc/sum.conf') : done;
  return [command('cd /app && mkdir -p sub && cd sub'), command('echo hello > ../greeting.txt; pwd')][answers] ?? done;
}

const read = async (...path) => JSON.parse(await readFile(join(...path), 'utf8'));
const isThere = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

export async function harbor(expectEqual) {
  const code = benchmarkCode('harbor');
  const bin = dirname(code.python);
  const folder = await mkdtemp(join(tmpdir(), 'gyre-harbor-check-'));
  const sandbox = await Sandbox.start();
  const token = AccessTokens.random();
  const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }] });
  const model = await scriptedModel(script);
  try {
    for (const [name, task] of Object.entries(tasks)) await writeTask(join(folder, 'tasks', name), task);
    const start = (name, url, ...flags) =>
      run(
        join(bin, 'harbor'),
        [
          ...['run', '--path', join(folder, 'tasks'), '--jobs-dir', join(folder, 'jobs'), '--job-name', name],
          ...['--env', 'gyre_harbor:GyreEnvironment', '--ek', `url=${url}`, '--n-concurrent', '1', '--yes', ...flags],
        ],
        {
          cwd: folder,
          env: {
            ...{ ...process.env, PATH: `${bin}:${process.env.PATH}`, GYRE_TOKEN: token },
            ...{ HARBOR_TELEMETRY: 'off', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
          },
          maxBuffer: 2 ** 26,
        },
      ).catch((error) => error);
    /** The result of each task: its reward, or the kind of exception. */
    const results = async (name) => {
      const job = join(folder, 'jobs', name);
      const trials = (await readdir(job, { withFileTypes: true })).filter((entry) => entry.isDirectory());
      const pairs = [];
      for (const trial of trials) {
        const result = await read(job, trial.name, 'result.json');
        const { verifier_result: verified, exception_info: exception } = result;
        const reward = verified?.rewards?.reward;
        pairs.push([result.task_name.split('/').at(-1), reward ?? exception?.exception_type ?? 'nothing', trial.name]);
      }
      return pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));
    };
    const outcomes = async (name) => Object.fromEntries(await results(name));
    const play = async (name, ...flags) => {
      const { stdout, stderr } = await start(name, server.url, ...flags);
      if (await isThere(join(folder, 'jobs', name))) return outcomes(name);
      throw new Error(`harbor did not start: ${stdout}\n${stderr}`);
    };

    expectEqual('oracle: 1 and 1', await play('oracle', '--agent', 'oracle'), { greeting: 1, system: 1 });
    expectEqual('nop: 0 and 0', await play('nop', '--agent', 'nop'), { greeting: 0, system: 0 });

    const agent = ['--agent', 'gyre_harbor:GyreAgent', '--model', 'scripted', '--ak', `gyre=${gyre}`];
    const played = await play('gyre', ...agent, '--ak', `model_url=${model.url}`);
    expectEqual('gyre with the double of a model: 1 and 0', played, { greeting: 1, system: 0 });
    const [[, , trial]] = await results('gyre');
    const folderOfTrial = join(folder, 'jobs', 'gyre', trial);
    const { agent_result: used, agent_info: who } = await read(folderOfTrial, 'result.json');
    expectEqual('tokens are told', [used.n_input_tokens, used.n_cache_tokens, used.n_output_tokens], [300, 0, 30]);
    expectEqual('the agent is gyre with that model', [who.name, who.version], ['gyre', '0.1.0']);
    const trajectory = await read(folderOfTrial, 'agent', 'trajectory.json');
    expectEqual('the trajectory has the instruction and three turns', trajectory.steps.length, 4);
    const { observation, tool_calls: calls } = trajectory.steps[2];
    expectEqual('a command begins where the last one ended', observation.results[0].content, '/app/sub\n(exit code 0)');
    expectEqual('a result names its call', observation.results[0].source_call_id, calls[0].tool_call_id);
    const pictures = JSON.stringify(model.requests).includes('image_url');
    expectEqual('the model gets no pictures', pictures, false);
    const validator = ['-m', 'harbor.utils.trajectory_validator', join(folderOfTrial, 'agent', 'trajectory.json')];
    const valid = await run(code.python, validator).then(
      () => true,
      ({ stdout, stderr }) => stdout + stderr,
    );
    expectEqual("Harbor's validator accepts the trajectory", valid, true);
    const files = ['config.json', 'lock.json', 'result.json', join(trial, 'trial.log'), join(trial, 'verifier')];
    const present = await Promise.all(files.map((file) => isThere(join(folder, 'jobs', 'gyre', file))));
    expectEqual(
      'the job folder is as Harbor writes it',
      present,
      files.map(() => true),
    );

    model.close();
    const mute = await play('mute', ...agent, '--ak', `model_url=${model.url}`, '--ak', 'flags=--retries 0');
    expectEqual('a model server that is gone is no 0', mute, {
      greeting: 'RuntimeRequestError',
      system: 'RuntimeRequestError',
    });
    await start('away', 'http://127.0.0.1:9', '--agent', 'oracle');
    expectEqual('a sandbox that is gone is no 0', await outcomes('away'), {
      greeting: 'RuntimeRequestError',
      system: 'RuntimeRequestError',
    });
    expectEqual('no session is left', sandbox.sessions.length, 0);
  } finally {
    model.close();
    await server.close();
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}
