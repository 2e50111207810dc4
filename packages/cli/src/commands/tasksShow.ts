import { TaskSessions, oraclePolicy, runEpisode } from '@gyre/agent';
import { familyOf, openTask, taskOf } from '@gyre/tasks';
import { writeFile } from 'node:fs/promises';
import { command } from '../command.js';
import { addSuites, expectInstalled, suiteNameOf } from '../families/families.js';
import { addedSuiteFlags, taskArgument } from '../flags/familyFlags.js';
import { outputFile, toggle } from '../flags/flag.js';
import { turnLine } from '../terminal/turnLine.js';

export const show = command({
  examples: ['gyre tasks show menu/test/7 --picture menu.png', 'gyre tasks show vault/test/3 --solution'],
  arguments: [taskArgument] as const,
  flags: {
    picture: outputFile('write its first screen to this PNG', { default: undefined }),
    solution: toggle('play the scripted solution and print its turns'),
    ...addedSuiteFlags,
  },
  async run({ picture, solution, suite, miniwob, tasks }, { terminal, signal, seed }, id) {
    await addSuites({ suite, miniwob, tasks });
    const instance = taskOf(id);
    const family = familyOf(instance.task.family);
    const looks = picture !== undefined || solution || instance.instructs === true;
    if (looks) expectInstalled(family.name);
    const sessions = looks ? new TaskSessions({ browsers: 1, sessionsPerBrowser: 1, signal }) : undefined;
    try {
      const environment = sessions && openTask(instance, sessions, family);
      const first = await environment?.reset();
      const { task } = environment ?? instance;
      const { width, height } = task.screen;
      terminal.print(`${task.id}: ${task.instruction}`);
      terminal.print(`  suite       ${suiteNameOf(family.name)}${family.heldOut ? ', held out for evaluation' : ''}`);
      terminal.print(`  family      ${family.name}: ${family.description}`);
      terminal.print(`  screen      ${width} x ${height} px`);
      terminal.print(`  surfaces    ${task.surfaces.join(', ')}`);
      terminal.print(`  budget      ${task.stepBudget} turns`);
      if (task.difficulty !== undefined) terminal.print(`  difficulty  ${task.difficulty} of 5`);
      if (first && picture !== undefined) {
        await writeFile(picture, first.png);
        terminal.print(`  picture     ${picture}`);
      }
      if (!environment || !solution) return { ok: true, result: { task, picture } };
      const { turns, verdict } = await runEpisode({
        environment,
        policy: oraclePolicy,
        purpose: 'show',
        seed,
        screenshots: 1,
        signal,
        onTurn: (turn) => terminal.print(turnLine(turn)),
      });
      terminal.print(verdict?.success ? `solved in ${turns.length} turns` : 'not solved');
      const solutionTurns = turns.map(({ thought, actions, reward }) => ({ thought, actions, reward }));
      return { ok: verdict?.success === true, result: { task, picture, solution: solutionTurns, verdict } };
    } finally {
      await sessions?.close();
    }
  },
});
