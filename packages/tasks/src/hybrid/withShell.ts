import type { AgentAction } from '@gyre/protocol';
import { machineOf } from '@gyre/sandbox';
import type { TaskFamily } from '../family/family.js';
import type { MachineFamily, MachineInstance, MachineTurn } from '../family/machine/machineFamily.js';
import { prepare } from '../family/machine/prepare.js';
import { openTask } from '../family/taskRun.js';

/**
 * The tasks of a family of pages on machines of their own, whose shell has in files what can be read on the page (`TaskInstance.files`):
 * the same page, instruction and verifier by another interface, GUI-SDK beside GUI alone. The oracle reads the file and does the rest on
 * the screen.
 */
export function withShell(family: TaskFamily): MachineFamily {
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
      const run = await openTask(session, { ...instance, task });
      const wanted = instance.files?.wanted;
      let asked = false;
      return {
        ...run,
        async oracle(): Promise<MachineTurn> {
          if (asked || wanted === undefined) return run.oracle();
          asked = true;
          const actions: AgentAction[] = [{ type: 'execute_bash', command: `cat ${quoted(wanted)}` }];
          return { thought: 'a file has it: read that', actions };
        },
      };
    },
  };
}

/** A path as a word of the shell. */
const quoted = (path: string): string => (/^[\w/]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
