import { pointOf } from '../family/pointOf.js';
import type { PageVerifier } from '../family/pageVerifier.js';

export interface FormArgument {
  /** Before the press on the button, in the instruction's order. */
  readonly steps: readonly (
    | { readonly kind: 'tick' | 'choose'; readonly control: number }
    | { readonly kind: 'type'; readonly control: number; readonly text: string }
  )[];
  readonly button: number;
}

export default function formVerifier({ steps, button }: FormArgument): PageVerifier {
  const controls = [...document.querySelectorAll<HTMLElement>('[data-control]')];
  const ticked = new Set<number>();
  let chosen: number | undefined;
  let text = '';
  let pressed: number | undefined;

  const draw = () => {
    for (const [index, control] of controls.entries()) {
      const role = control.getAttribute('role');
      if (role === 'checkbox') control.setAttribute('aria-checked', String(ticked.has(index)));
      if (role === 'radio') control.setAttribute('aria-checked', String(chosen === index));
      if (role === 'textbox' && control.textContent !== text) control.textContent = text;
      control.classList.toggle('pressed', pressed === index);
    }
  };

  document.addEventListener(
    'click',
    (event) => {
      if (!event.isTrusted || pressed !== undefined || !(event.target instanceof Element)) return;
      const control = event.target.closest<HTMLElement>('[data-control]');
      if (!control) return;
      const index = controls.indexOf(control);
      const role = control.getAttribute('role');
      if (role === 'checkbox' && !ticked.delete(index)) ticked.add(index);
      if (role === 'radio') chosen = index;
      if (role === null) pressed = index;
      draw();
    },
    true,
  );

  // The state is updated from trusted edits, which a page's script cannot forge.
  document.addEventListener(
    'beforeinput',
    (event) => {
      event.preventDefault();
      const field = event.target;
      if (!event.isTrusted || pressed !== undefined || !(field instanceof HTMLElement)) return;
      const range = window.getSelection()?.rangeCount ? window.getSelection()?.getRangeAt(0) : undefined;
      const selected = range !== undefined && !range.collapsed;
      let start = text.length;
      let end = text.length;
      if (range && field.contains(range.startContainer)) {
        start = range.startContainer === field ? (range.startOffset === 0 ? 0 : text.length) : range.startOffset;
        end = range.endContainer === field ? (range.endOffset === 0 ? 0 : text.length) : range.endOffset;
      }
      let written = '';
      if (event.inputType.startsWith('insert')) {
        written = (event.data ?? event.dataTransfer?.getData('text/plain') ?? '').replaceAll('\n', '');
      } else if (event.inputType.startsWith('delete') && !selected) {
        if (event.inputType.endsWith('Forward')) end = Math.min(text.length, end + 1);
        else start = Math.max(0, start - 1);
      } else if (!event.inputType.startsWith('delete')) {
        return;
      }
      text = text.slice(0, start) + written + text.slice(end);
      draw();
      const caret = start + written.length;
      const node = field.firstChild;
      if (node) window.getSelection()?.collapse(node, Math.min(caret, text.length));
      else window.getSelection()?.collapse(field, 0);
    },
    true,
  );

  /** Parts that are right at the start. */
  const unasked = 3 - new Set(steps.map(({ kind }) => kind)).size;

  const isDone = (step: FormArgument['steps'][number]): boolean => {
    if (step.kind === 'type') return text === step.text;
    return step.kind === 'tick' ? ticked.has(step.control) : chosen === step.control;
  };

  return {
    read() {
      const goalBoxes = steps.flatMap((step) => (step.kind === 'tick' ? [step.control] : []));
      const parts = {
        boxes: ticked.size === goalBoxes.length && goalBoxes.every((box) => ticked.has(box)),
        option: chosen === steps.find((step) => step.kind === 'choose')?.control,
        text: text === (steps.find((step) => step.kind === 'type')?.text ?? ''),
        button: pressed === button,
      };
      const right = Object.values(parts).filter(Boolean).length;
      const success = right === 4;
      return {
        done: pressed !== undefined,
        success,
        score: right / 4,
        // Undone progress is taken back, so that no detour pays.
        reward: (right - unasked) / 8 + (success ? 0.5 : 0),
        evidence: { parts, ticked: [...ticked], chosen: chosen ?? null, text, pressed: pressed ?? null },
      };
    },
    solve() {
      if (pressed !== undefined) return [];
      const clickOn = (index: number) => {
        const control = controls[index];
        return control ? [{ type: 'click' as const, point: pointOf(control) }] : [];
      };
      for (const step of steps) {
        if (isDone(step)) continue;
        if (step.kind !== 'type' || document.activeElement !== controls[step.control]) return clickOn(step.control);
        return [{ type: 'type', text: step.text }];
      }
      return clickOn(button);
    },
  };
}
