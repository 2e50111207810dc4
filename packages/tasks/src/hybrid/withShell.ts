import { machineOf } from '@gyre/sandbox';
import type { TaskFamily } from '../family/family.js';
import { prepare } from '../family/machine/prepare.js';
import type { MachineInstance } from '../family/machine/setUp.js';
import { startTask } from '../family/run.js';

/**
 * Plays the tasks of a family of pages on machines whose shell has the content of the page in files (`TaskInstance.files`). Page, instruction
 * and verifier are the same. The oracle reads the file and does the rest on the screen.
 */
export function withShell(family: TaskFamily): TaskFamily<MachineInstance> {
  const name = `shell.${family.name}`;
  const { description, smallest, wordings } = family;
  return {
    name,
    description: `${description.replace(/\.$/, '')}, with a shell that has in files what the page shows.`,
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
          // A command is a turn.
          stepBudget: task.stepBudget + 1,
        },
        setup: { folders: [], files: files?.contents ?? {}, commands: [], page, programs: [] },
      };
    },
    async start(session, { task, setup }) {
      const instance = family.create(task.split, task.seed, task.screen);
      await prepare(machineOf(session), { ...setup, page: undefined });
      const verifier = await startTask(session, { ...instance, task });
      const wanted = instance.files?.subject;
      let asked = false;
      return {
        ...verifier,
        async oracle() {
          if (asked || wanted === undefined) return verifier.oracle();
          asked = true;
          const command = `cat ${quoted(wanted)}`;
          return { thought: 'a file has it: read that', actions: [{ type: 'execute_bash', command }] };
        },
      };
    },
  };
}

/** A path as a word of the shell. */
const quoted = (path: string): string => (/^[\w/]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
