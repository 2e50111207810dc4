import { machineOf } from '@gyre/sandbox';
import type { TaskFamily } from '../family/family.js';
import { prepare } from '../family/machine/prepare.js';
import type { MachineInstance } from '../family/machine/setUp.js';
import { startTask } from '../family/run.js';

/**
 * Plays a page family on machines whose shell has the page's content in files (`TaskInstance.files`). The oracle reads
 * the file, then uses the screen.
 */
export function withShell(family: TaskFamily): TaskFamily<MachineInstance> {
  const name = `shell.${family.name}`;
  const { description, smallest, wordings } = family;
  return {
    name,
    description: `${description.replace(/\.$/, '')}, with a shell whose files hold the data on the page.`,
    ...(smallest && { smallest }),
    ...(wordings !== undefined && { wordings }),
    kind: 'browser',
    missing: () => [],
    create(split, seed, size): MachineInstance {
      const { task, page, files } = family.create(split, seed, size);
      return {
        task: {
          ...task,
          id: `shell.${task.id}`,
          family: name,
          surfaces: ['screen', 'shell'],
          stepBudget: task.stepBudget + 1,
        },
        setup: { folders: [], files: files?.contents ?? {}, commands: [], page, programs: [] },
      };
    },
    async start(session, { task, setup }) {
      const instance = family.create(task.split, task.seed, task.screen);
      await prepare(machineOf(session), { ...setup, page: undefined });
      const verifier = await startTask(session, { ...instance, task });
      const answerFile = instance.files?.subject;
      let hasRead = false;
      return {
        ...verifier,
        async oracle() {
          if (hasRead || answerFile === undefined) return verifier.oracle();
          hasRead = true;
          const command = `cat ${quoted(answerFile)}`;
          return { thought: 'a file has it: read that', actions: [{ type: 'execute_bash', command }] };
        },
      };
    },
  };
}

const quoted = (path: string): string => (/^[\w/]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
