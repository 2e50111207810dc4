import { Cast } from './cast.js';
import type { TaskFamily } from '../family.js';
import { startMachine } from './machineVerifier.js';
import type { MachineInstance } from './setUp.js';
import { notInstalled } from './requirement.js';
import type { Template } from './template.js';

/** Turns per scripted turn, plus a constant. */
const slack = { factor: 1.5, more: 5 };

/** Builds the family of a template. */
export function templated(template: Template): TaskFamily<MachineInstance> {
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
      // Redrawn, so that no instance carries the expected result.
      return startMachine(session, instance, template.draw(new Cast(name, split, seed)));
    },
  };
}
