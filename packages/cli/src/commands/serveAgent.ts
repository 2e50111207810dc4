import { placeholderFrame, runEpisode } from '@gyre/agent';
import { atifTrajectory, CommandEnvironment, Harness } from '@gyre/benchmarks';
import { Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { freeTask } from '@gyre/tasks';
import { join } from 'node:path';
import { command } from '../command.js';
import { optionalPositive, outputFolder } from '../flags/flag.js';
import { openPolicy, type OpenPolicy, policyFlags } from '../policies/policies.js';
import { gyreVersion } from '../version.js';

type Tokens = ReturnType<NonNullable<OpenPolicy['tokens']>>;

export const agent = command({
  description:
    'Plays one instruction for the harness that started this command, such as Harbor, which runs the commands of the agent: lines of JSON over stdin and stdout. Stores the episode in the lake, and ends with the episode.',
  examples: ['gyre serve agent --model http://127.0.0.1:8000/v1'],
  flags: {
    ...policyFlags,
    minutes: optionalPositive('start no turn after this many minutes (default: no limit)', { example: '10' }),
    directory: outputFolder('directory of the lake', { default: 'runs' }),
  },
  async run({ directory, minutes, ...flags }, { signal, seed }) {
    if (flags.model === undefined) {
      throw new GyreError('bad_input', 'no policy of gyre acts without a screen', {
        field: '--model',
        fix: 'add --model with the address of a model server',
      });
    }
    const harness = new Harness(process.stdin, process.stdout);
    const { instruction, turns } = await harness.assignment();
    const opened = await openPolicy(flags);
    const lake = await Lake.open(join(directory, 'lake'));
    try {
      const task = freeTask(instruction, placeholderFrame.size, turns, seed);
      const turnTokens: (Tokens | undefined)[] = [];
      let before = opened.tokens?.();
      const episode = await runEpisode({
        environment: new CommandEnvironment({ task, frame: placeholderFrame, run: (each) => harness.run(each) }),
        policy: opened.policy,
        lake,
        purpose: 'run',
        seed,
        screenshots: 1,
        signal,
        ...(minutes !== undefined && { episodeMs: minutes * 60_000 }),
        onTurn: () => {
          const now = opened.tokens?.();
          turnTokens.push(now && before && difference(now, before));
          before = now;
        },
      });
      const tokens = opened.tokens?.();
      const { id, end } = episode;
      const trajectory = atifTrajectory(episode, { version: gyreVersion(), tokens, turnTokens });
      harness.end({ episode: id, end, ...(tokens && { tokens }), trajectory });
      // The harness reads standard output.
      return { ok: end.state !== 'infra_error' && end.state !== 'cut', result: {} };
    } finally {
      await Promise.allSettled([lake.close(), opened.close()]);
      process.stdin.destroy();
    }
  },
});

function difference(now: Tokens, before: Tokens): Tokens {
  return {
    prompt: now.prompt - before.prompt,
    cached: now.cached - before.cached,
    answer: now.answer - before.answer,
  };
}
