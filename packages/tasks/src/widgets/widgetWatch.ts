import type { Action, Point } from '@gyre/protocol';
import type { SolvedTurn, TaskState, Watch } from '../family/watch.js';
import { type Fields, type FieldsOptions, watchFields } from './fieldsWatch.js';

/** What decides over a task: parts that must all be right when it is done. */
export interface Judged {
  readonly parts: () => Record<string, boolean>;
  readonly done: () => boolean;
  /** What the verdict shows beside the parts. */
  readonly evidence: () => Record<string, unknown>;
}

/** What the watching script of a widget is given, because it can import nothing. */
export interface WidgetTools {
  /** The element with `data-name`. */
  named(name: string): HTMLElement;
  /** The point in the middle of a named element, or at shares of its width and height. */
  point(name: string, across?: number, down?: number): Point;
  /** Calls back with the name of what a trusted click of the left button hit; '' where it has none. */
  onPress(press: (name: string, event: MouseEvent) => void): void;
  /**
   * The state of a task. Half of its reward is for parts as they get right, taken back when they are wrong again; what is
   * right from the start earns nothing. The other half is for all of them at the end.
   */
  judge(judged: Judged): () => TaskState;
  /** A turn of the solution: a thought and its actions. */
  turn(thought: string, ...actions: Action[]): SolvedTurn;
  /** Fields to write in that are drawn from the state. */
  fields(elements: readonly HTMLElement[], options?: FieldsOptions): Fields;
}

function widgetTools(): Omit<WidgetTools, 'fields'> {
  const named = (name: string): HTMLElement => {
    const element = document.querySelector<HTMLElement>(`[data-name="${name}"]`);
    if (!element) throw new Error(`nothing on the page is named ${name}`);
    return element;
  };
  return {
    named,
    point(name, across = 0.5, down = 0.5) {
      const { left, top, width, height } = named(name).getBoundingClientRect();
      return { x: (left + width * across) / window.innerWidth, y: (top + height * down) / window.innerHeight };
    },
    onPress(press) {
      document.addEventListener(
        'click',
        (event) => {
          if (!event.isTrusted || !(event.target instanceof Element)) return;
          press(event.target.closest<HTMLElement>('[data-name]')?.dataset.name ?? '', event);
        },
        true,
      );
    },
    judge({ parts, done, evidence }) {
      const rightOf = (all: Record<string, boolean>) => Object.values(all).filter(Boolean).length;
      const before = rightOf(parts());
      return () => {
        const all = parts();
        const right = rightOf(all);
        const total = Object.keys(all).length;
        const success = done() && right === total;
        return {
          done: done(),
          success,
          score: success ? 1 : Math.min(right / total, 1 - 1 / (2 * total)),
          reward: (right - before) / (2 * total) + (success ? 0.5 : 0),
          evidence: { parts: all, ...evidence() },
        };
      };
    },
    turn: (thought, ...actions) => ({ thought, actions }),
  };
}

/** Source of the function that a widget's page runs in the isolated world. `watch` must not refer to anything outside itself. */
export function widgetScript<T>(watch: (argument: T, tools: WidgetTools) => Watch): string {
  return `(argument) => { globalThis.gyreTask = (${watch})(argument, { ...(${widgetTools})(), fields: ${watchFields} }); }`;
}
