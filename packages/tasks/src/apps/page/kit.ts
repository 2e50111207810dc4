import type { Action, Point } from '@gyre/protocol';
import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { AppWords } from '../data/appWords.js';
import type { AppKind, CommonUi, Scene } from '../app.js';

interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** An app oracle's tools. Each turn is one action. */
export class Kit<Of extends AppKind> {
  readonly store: Of['store'];
  readonly ui: Of['ui'] & CommonUi;
  readonly words: AppWords<Of['word']>;

  constructor(
    readonly scene: Scene<Of>,
    readonly goal: Of['store'],
    readonly start: Of['store'],
    readonly hint?: unknown,
  ) {
    this.store = scene.store;
    this.ui = scene.ui;
    this.words = scene.words;
  }

  find(name: string): HTMLElement | undefined {
    return document.querySelector<HTMLElement>(`[data-name="${CSS.escape(name)}"]`) ?? undefined;
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  press(name: string, thought: string): SolvedTurn {
    return this.actOn(name, thought, (point) => ({ type: 'click', point }));
  }

  twice(name: string, thought: string): SolvedTurn {
    return this.actOn(name, thought, (point) => ({ type: 'double_click', point }));
  }

  context(name: string, thought: string): SolvedTurn {
    return this.actOn(name, thought, (point) => ({ type: 'right_click', point }));
  }

  key(keys: string, thought: string): SolvedTurn {
    return { thought, actions: [{ type: 'hotkey', keys }] };
  }

  /** Both elements have to be visible. */
  drag(name: string, onto: string, thought: string): SolvedTurn {
    const hidden = this.#reveal(this.#named(name)) ?? this.#reveal(this.#named(onto));
    if (hidden) return hidden;
    const [start, end] = [this.#middle(this.#named(name)), this.#middle(this.#named(onto))];
    return { thought, actions: [{ type: 'drag', start, end }] };
  }

  /** Returns undefined once the field contains the text. */
  fill(name: string, text: string, thought: string): SolvedTurn | undefined {
    const field = this.#named(name) as HTMLInputElement;
    if (field.value === text) return undefined;
    if (document.activeElement !== field) return this.press(name, `${thought}: go to the field`);
    const isAllSelected = field.selectionStart === 0 && field.selectionEnd === field.value.length;
    if (field.value !== '' && !isAllSelected) return this.key('ctrl a', `"${field.value}" has to go: select it`);
    if (text === '') return this.key('delete', 'nothing should stand here: delete it');
    return { thought, actions: [{ type: 'type', text }] };
  }

  /** The list's options are named `LIST-OPTION`. */
  choose(list: string, option: string, thought: string): SolvedTurn {
    if (this.ui.menu !== list) return this.press(list, `${thought}: open the list`);
    return this.press(`${list}-${option}`, thought);
  }

  /** Returns undefined once the element is visible. */
  show(name: string): SolvedTurn | undefined {
    return this.#reveal(this.#named(name));
  }

  actOn(name: string, thought: string, act: (point: Point) => Action): SolvedTurn {
    const element = this.#named(name);
    return this.#reveal(element) ?? { thought, actions: [act(this.#middle(element))] };
  }

  #named(name: string): HTMLElement {
    const element = this.find(name);
    if (!element) throw new Error(`no element on the page is named ${name}`);
    return element;
  }

  #middle(element: Element): Point {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { x: (left + right) / 2 / window.innerWidth, y: (top + bottom) / 2 / window.innerHeight };
  }

  #reveal(element: Element): SolvedTurn | undefined {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    for (let around = element.parentElement; around; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (!/auto|scroll/.test(style.overflowY + style.overflowX)) continue;
      const view = seen(around);
      // A point exactly on the far edge is off the screen.
      const direction = y < view.top ? 'up' : y >= view.bottom ? 'down' : x < view.left ? 'left' : 'right';
      if (y >= view.top && y < view.bottom && x >= view.left && x < view.right) continue;
      const point = {
        x: (view.left + view.right) / 2 / window.innerWidth,
        y: (view.top + view.bottom) / 2 / window.innerHeight,
      };
      return { thought: 'it is not in sight: scroll', actions: [{ type: 'scroll', point, direction }] };
    }
    const hit = document.elementFromPoint(x, y);
    if (hit && (element.contains(hit) || hit.contains(element))) return undefined;
    return this.key('escape', 'something is in the way: close it');
  }
}

/** Returns the visible part of an element, clipped by the screen and its scroll containers. */
function seen(element: Element): Rect {
  let { left, top, right, bottom }: Rect = element.getBoundingClientRect();
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === 'visible') continue;
    const outer = around.getBoundingClientRect();
    left = Math.max(left, outer.left);
    top = Math.max(top, outer.top);
    right = Math.min(right, outer.right);
    bottom = Math.min(bottom, outer.bottom);
  }
  return { left, top, right: Math.min(right, window.innerWidth), bottom: Math.min(bottom, window.innerHeight) };
}
