import { Cast } from './cast.js';
import type { MachineFamily } from './machineFamily.js';
import { startMachine } from './machineRun.js';
import { notInstalled } from './requirement.js';
import type { Template } from './template.js';

/** Turns that a policy may take for each of the script's, and beside them. */
const slack = { factor: 1.5, more: 5 };

/** The family of a template. */
export function templated(template: Template): MachineFamily {
  const { name, description, kind, surfaces, screen, needs } = template;
  return {
    name,
    description,
    kind,
    smallest: screen,
    missing: () => notInstalled(kind, needs),
    create(split, seed, size = screen) {
      const drawn = template.draw(new Cast(name, split, seed));
      const { instruction, difficulty, script, folders = [], files = {}, commands = [], page, programs = [] } = drawn;
      return {
        task: {
          id: `${name}/${split}/${seed}`,
          family: name,
          split,
          seed,
          instruction,
          surfaces: [...surfaces],
          screen: size,
          stepBudget: Math.ceil(slack.factor * script.length) + slack.more,
          difficulty,
        },
        setup: { folders, files, commands, page, programs },
      };
    },
    start(session, instance) {
      const { split, seed } = instance.task;
      // What is expected is drawn again, here, rather than carried about.
      return startMachine(session, instance, template.draw(new Cast(name, split, seed)));
    },
  };
}
