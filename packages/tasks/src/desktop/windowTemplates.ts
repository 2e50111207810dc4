import type { Cast } from '../family/machine/cast.js';
import type { Launch } from '../family/machine/setUp.js';
import { xterm } from '../family/machine/requirement.js';
import type { Template } from '../family/machine/template.js';
import { click, hotkey, wait } from '../family/machine/turns.js';
import type { SandboxSession } from '@gyre/sandbox';

/** Window templates, judged by the X server's state. */

const windowTemplate = {
  kind: 'desktop',
  surfaces: ['screen'],
  screen: { width: 640, height: 480 },
  needs: [xterm],
} as const satisfies Partial<Template>;

/** Cascaded windows, so that every title is readable. In px. */
const rows = [
  { from: 8, across: 102, down: 55 },
  { from: 354, across: -102, down: 55 },
] as const;

function drawWindows(cast: Cast): { names: string[]; programs: Launch[] } {
  const names = cast.names(cast.between(3, 4));
  const { from, across, down } = cast.pick(rows);
  const top = cast.between(16, 40);
  const programs = names.map((name, index): Launch => {
    const [x, y] = [from + across * index, top + down * index];
    const args = ['-T', name, '-fa', 'DejaVu Sans Mono', '-fs', '9', '-geometry', `38x10+${x}+${y}`];
    return { program: 'xterm', args: [...args, '-e', 'sh', '-c', `echo ${name}; exec sleep 100000`], window: name };
  });
  return { names, programs };
}

async function titleOf({ desktop, screen }: SandboxSession, name: string) {
  const window = (await desktop?.windows())?.find(({ title }) => title === name);
  if (window === undefined) return [];
  const { x, y } = window.box;
  return [click({ x: x + 60 / screen.size.width, y: y - 9 / screen.size.height }), wait(0.2)];
}

const close: Template = {
  ...windowTemplate,
  name: 'windows.close',
  description: 'Close one of several windows.',
  draw(cast) {
    const { names, programs } = drawWindows(cast);
    const name = cast.pick(names);
    return {
      instruction: cast.say(
        {
          both: [
            'Close the window "{name}", and no other.',
            'The window with the title {name} is not needed any more. Close it.',
            '关闭标题为“{name}”的窗口，其他窗口保持打开。',
          ],
          heldOut: ['Only "{name}" should go; keep all other windows open.'],
        },
        { name },
      ),
      difficulty: 1,
      programs,
      async judge(evidence) {
        const windows = await evidence.windows(names);
        return {
          closed: windows[names.indexOf(name)]?.there === false,
          rest: names.every((other, index) => other === name || windows[index]?.there),
        };
      },
      script: [
        { thought: `Bring ${name} to the front by its title.`, actions: (machine) => titleOf(machine, name) },
        { thought: 'Close it.', actions: [hotkey('alt f4'), wait(0.5)] },
      ],
    };
  },
};

const front: Template = {
  ...windowTemplate,
  name: 'windows.front',
  description: 'Bring one of several windows to the front.',
  draw(cast) {
    const { names, programs } = drawWindows(cast);
    const name = cast.pick(names.slice(0, -1));
    return {
      instruction: cast.say(
        {
          both: [
            'Bring the window "{name}" to the front.',
            'Activate the window with the title {name}.',
            '把标题为“{name}”的窗口切换到最前面。',
          ],
          heldOut: ['I want to work in "{name}". Make it the active window.'],
        },
        { name },
      ),
      difficulty: 1,
      programs,
      async judge(evidence) {
        const windows = await evidence.windows(names);
        return {
          front: windows[names.indexOf(name)]?.front === true,
          rest: windows.every(({ there }) => there),
        };
      },
      script: [
        { thought: `The title of ${name} can be seen; press it.`, actions: (machine) => titleOf(machine, name) },
      ],
    };
  },
};

export const windowTemplates: readonly Template[] = [close, front];
