import type { Watch } from '../family/watch.js';
import type { WidgetTools } from './widgetWatch.js';

export interface TableArgument {
  /** Name of the right cell or control. */
  readonly target: string;
}

/** Keeps which cell or control was pressed. Runs in the page: it refers to nothing outside itself. */
export function watchTable({ target }: TableArgument, tools: WidgetTools): Watch {
  const kind = target.split('-')[0];
  let pressed: string | undefined;
  tools.onPress((name) => {
    // The cell around a box counts as the box.
    const hit = name.replace(/^side-/, 'act-');
    if (pressed !== undefined || hit.split('-')[0] !== kind) return;
    pressed = hit;
    tools.named(hit).classList.add('pressed');
  });
  return {
    read: tools.judge({
      parts: () => ({ pressed: pressed === target }),
      done: () => pressed !== undefined,
      evidence: () => ({ pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      return tools.turn('find the row, then the place in it', { type: 'click', point: tools.point(target) });
    },
  };
}
