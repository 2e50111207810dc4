import { isolations } from '@gyre/sandbox';
import { taskOf } from '@gyre/tasks';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { command } from '../command.js';
import { addSuites, expectInstalled } from '../families/families.js';
import { addedSuiteFlags, taskArgument } from '../flags/familyFlags.js';
import { count, oneOf, optionalWord, outputFolder, toggle } from '../flags/flag.js';
import { transcribeFlags, transcriberOf } from '../flags/transcribeFlags.js';
import { playByHand } from '../live/play.js';

export const play = command({
  description:
    'Prints the address of a page on which you play the task with mouse and keys. Time stands still between actions; a button on the page lets some pass. The verifier judges the task when you finish it on the page, or type its answer or an empty line here. What you play is in the lake, with the policy human:NAME. Then the page offers the next task.',
  examples: ['gyre tasks play 2048/test/0', 'gyre tasks play menu/train/7/640x480 --name Anna --directory runs/people'],
  arguments: [taskArgument] as const,
  flags: {
    name: optionalWord('your name, for the policy human:NAME (default: of your account)', { example: 'Anna' }),
    port: count('port of the page; 0 picks a free one', { default: 0, min: 0 }),
    isolation: oneOf(isolations, 'isolation (auto picks the strongest available; "none" must be explicit)', {
      default: 'auto',
    }),
    directory: outputFolder('directory of the lake', { default: 'runs', unless: 'discard' }),
    discard: toggle('store no episodes'),
    ...addedSuiteFlags,
    ...transcribeFlags,
  },
  async run(
    { name, port, isolation, directory, discard, transcribe, transcribeModel, ...suites },
    { terminal, signal },
    id,
  ) {
    await addSuites(suites);
    const instance = taskOf(id);
    expectInstalled(instance.task.family);
    const input = createInterface({ input: process.stdin });
    let total = 0;
    try {
      const episode = await playByHand(
        instance,
        {
          ...{ isolation, port, signal, once: terminal.json, player: name ?? userInfo().username },
          directory: discard ? undefined : directory,
          transcriber: transcriberOf({ transcribe, transcribeModel }),
          onLink: (link, task) => {
            total = 0;
            terminal.print(`${task.id}: ${task.instruction}`);
            terminal.print(`play it here: ${link}`);
            terminal.print('type an answer, or nothing, and press enter to finish; ctrl-C ends');
          },
          onTurn: ({ reward }) => {
            total += reward;
            if (Math.abs(reward) < 1e-9) return;
            terminal.print(`reward ${reward > 0 ? '+' : ''}${reward.toFixed(2)}, ${total.toFixed(2)} so far`);
          },
          onEnd: ({ end, verdict, id: episodeId }) => {
            const outcome = verdict && `${verdict.success ? 'success' : 'failed'}, score ${verdict.score.toFixed(2)}`;
            const reason = 'message' in end ? `: ${end.message}` : '';
            if (!discard) terminal.print(`episode ${episodeId}`);
            terminal.print(outcome ?? `${end.state === 'cut' ? 'given up' : end.state}${reason}`);
            if (!terminal.json && !signal.aborted) terminal.print('press enter for the next task; ctrl-C ends');
          },
        },
        input,
      );
      const { task, verdict, end } = episode;
      const result = { task, reward: total, verdict, end, ...(!discard && { episode: episode.id }) };
      return { ok: verdict !== undefined, result };
    } finally {
      input.close();
    }
  },
});
