import type { Watch, WatchTools } from '../family/watch.js';

export interface ClickArgument {
  /** Number of the right control. */
  readonly target: number;
}

/** Watches for the first trusted press on any control. Runs in the page: it refers to nothing outside itself. */
export function watchClick({ target }: ClickArgument, { centre }: WatchTools): Watch {
  const controls = [...document.querySelectorAll('[data-control]')];
  let pressed: number | undefined;
  document.addEventListener(
    'click',
    (event) => {
      if (!event.isTrusted || pressed !== undefined || !(event.target instanceof Element)) return;
      const control = event.target.closest('[data-control]');
      if (!control) return;
      pressed = controls.indexOf(control);
      control.classList.add('pressed');
    },
    true,
  );
  return {
    read() {
      const success = pressed === target;
      const share = success ? 1 : 0;
      return {
        done: pressed !== undefined,
        success,
        score: share,
        reward: share,
        evidence: { pressed: pressed ?? null, target },
      };
    },
    solve() {
      const control = controls[target];
      return control && pressed === undefined ? [{ type: 'click', point: centre(control) }] : [];
    },
  };
}
