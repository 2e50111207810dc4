import { pointOf } from '../family/pointOf.js';
import type { PageVerifier } from '../family/pageVerifier.js';

export interface ClickArgument {
  readonly target: number;
}

export default function clickVerifier({ target }: ClickArgument): PageVerifier {
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
      const score = success ? 1 : 0;
      return {
        done: pressed !== undefined,
        success,
        score,
        reward: score,
        evidence: { pressed: pressed ?? null, target },
      };
    },
    solve() {
      const control = controls[target];
      return control && pressed === undefined ? [{ type: 'click', point: pointOf(control) }] : [];
    },
  };
}
