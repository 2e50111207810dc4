import { pointOf } from '../family/pointOf.js';
import type { BoardState } from './board.js';

/**
 * Records a board's state from trusted events. Returns `state`, the centre of a named element (`point`), and `tell`,
 * which shows the results of external checks.
 */
export default function board() {
  const fields: Record<string, string> = {};
  const pressed = new Set<string>();
  let submitted: Record<string, string> | undefined;
  let requests = 0;

  const elements = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const show = (button: HTMLElement, done: boolean) => {
    button.classList.toggle('done', done);
    button.textContent = (done ? button.dataset.done : button.dataset.label) ?? '';
  };

  for (const field of elements('[data-field]') as HTMLInputElement[]) {
    const name = field.dataset.field ?? '';
    fields[name] = '';
    field.addEventListener('input', (event) => {
      if (event.isTrusted) fields[name] = field.value;
    });
  }

  document.addEventListener(
    'click',
    (event) => {
      if (!event.isTrusted || !(event.target instanceof Element)) return;
      const hit = event.target.closest<HTMLElement>('[data-press],[data-submit],[data-checks],[data-link]');
      if (hit === null) return;
      const { press, submit, checks } = hit.dataset;
      if (press !== undefined) {
        if (!pressed.delete(press)) pressed.add(press);
        show(hit, pressed.has(press));
      } else if (submit !== undefined) {
        submitted = { ...fields };
        const output = document.querySelector('output');
        if (output) output.textContent = hit.dataset.done ?? '';
      } else if (checks !== undefined) {
        requests += 1;
        results('running …');
      } else {
        hit.classList.add('done');
      }
    },
    true,
  );

  function results(text: string, good?: boolean): void {
    const output = document.querySelector('[data-results]');
    if (!output) return;
    output.textContent = text;
    output.className = good === undefined ? '' : good ? 'good' : 'bad';
  }

  const state = (): BoardState => ({ submitted, pressed: [...pressed].sort(), requests });

  const point = (name: string) => {
    const element = elements('[data-press],[data-submit],[data-checks],[data-link],[data-field]').find(({ dataset }) =>
      [dataset.press, dataset.submit, dataset.checks, dataset.link, dataset.field].includes(name),
    );
    if (!element) throw new Error(`no element on the page is named ${name}`);
    return pointOf(element);
  };

  return { state, point, tell: results };
}
