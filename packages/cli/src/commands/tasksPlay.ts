import { isolations } from '@gyre/sandbox';
import { taskOf } from '@gyre/tasks';
import { createInterface } from 'node:readline';
import { command } from '../command.js';
import { addSuites, expectInstalled } from '../families/families.js';
import { addedSuiteFlags, taskArgument } from '../flags/familyFlags.js';
import { count, oneOf } from '../flags/flag.js';
import { playByHand } from '../live/play.js';

export const play = command({
  description:
    'Prints the address of a page on which you play the task with mouse and keys, and prints the reward. Time stands still between actions; a button on the page lets some pass. If the task asks for an answer, type it here; an empty line finishes the task.',
  examples: ['gyre tasks play 2048/test/0', 'gyre tasks play menu/test/7/640x480'],
  arguments: [taskArgument] as const,
  flags: {
    port: count('port of the page; 0 picks a free one', { default: 0, min: 0 }),
    isolation: oneOf(isolations, 'isolation (auto picks the strongest available; "none" must be explicit)', {
      default: 'auto',
    }),
    ...addedSuiteFlags,
  },
  async run({ port, isolation, suite, miniwob, tasks }, { terminal, signal }, id) {
    await addSuites({ suite, miniwob, tasks });
    const instance = taskOf(id);
    expectInstalled(instance.task.family);
    const lines: string[] = [];
    const input = createInterface({ input: process.stdin });
    input.on('line', (line) => lines.push(line.trim()));
    let total = 0;
    try {
      const verdict = await playByHand(instance, {
        isolation,
        port,
        signal,
        onLink: (link, instruction) => {
          terminal.print(`${instance.task.id}: ${instruction}`);
          terminal.print(`play it here: ${link}`);
          terminal.print('type an answer, or nothing, and press enter to finish; ctrl-C aborts');
        },
        onReward: (reward, sum) => {
          total = sum;
          terminal.print(`reward ${reward > 0 ? '+' : ''}${reward.toFixed(2)}, ${sum.toFixed(2)} so far`);
        },
        answer: () => lines.shift(),
      });
      if (verdict) terminal.print(`${verdict.success ? 'success' : 'failed'}, score ${verdict.score.toFixed(2)}`);
      else terminal.print('given up');
      return { ok: verdict !== undefined, result: { task: instance.task, reward: total, verdict } };
    } finally {
      input.close();
    }
  },
});
