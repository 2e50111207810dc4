import { type ComponentType, h, render } from 'preact';
import type { Action } from '@gyre/protocol';
import type { SolvedTurn, TaskState, PageVerifier } from '../../family/pageVerifier.js';
import type { AppArgument, AppKind, CommonUi, Scene } from '../app.js';
import { type ElementHandlers, handlerAt } from './elementHandlers.js';
import { createJudge } from './judge.js';
import { Kit } from './kit.js';

export interface AppPage<Of extends AppKind> {
  readonly view: ComponentType<Scene<Of>>;
  readonly ui: (argument: AppArgument<Of>) => Of['ui'];
  readonly solve: (kit: Kit<Of>) => SolvedTurn | undefined;
  /** Returns undefined once a question's subject is on the screen. */
  readonly look?: (kit: Kit<Of>, what: never) => SolvedTurn | undefined;
  /** Called while no list is open. */
  readonly escape?: (scene: Scene<Of>) => void;
  /** Handles keys outside text fields; returns whether the key was used. */
  readonly key?: (scene: Scene<Of>, event: KeyboardEvent) => boolean;
  readonly drawn?: (scene: Scene<Of>) => void;
  /** Returns the part of the store that the verdict counts. */
  readonly matters?: (store: Of['store'], start: Of['store'], goal: Of['store']) => unknown;
  /** Paths whose facts cannot be undone. */
  readonly lasting?: readonly string[];
}

type Field = HTMLInputElement | HTMLTextAreaElement;
const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/** Returns the verifier of an app's page. It holds the state, which only trusted input changes. */
export function runApp<Of extends AppKind>(app: AppPage<Of>): (argument: AppArgument<Of>) => PageVerifier {
  return (argument) => {
    const start = structuredClone(argument.store);
    const { store, goal, words, layout, language } = argument;
    const ui: Of['ui'] & CommonUi = { menu: '', toast: '', ...app.ui(argument) };
    const scene: Scene<Of> = { store, ui, words, layout, language };
    const root = document.getElementById('app')!;
    let finished: { answer?: string } | undefined;

    const matters = (facts: Of['store']) => (app.matters ? app.matters(facts, start, goal) : facts);
    const judge = createJudge({
      start: matters(start),
      goal: matters(goal),
      ...(argument.answer !== undefined && { answer: argument.answer }),
      ...(argument.anyOrder && { anyOrder: argument.anyOrder }),
      ...(app.lasting && { lasting: app.lasting }),
    });
    /** Cached; undefined once something may have changed. */
    let judged: TaskState | undefined;
    const state = () => (judged ??= judge(matters(store), finished));

    const texts = new WeakMap<Field, string>();
    const draw = () => {
      judged = undefined;
      render(h(app.view, scene), root);
      for (const field of root.querySelectorAll<Field>('input,textarea')) texts.set(field, field.value);
      app.drawn?.(scene);
    };

    listen(scene, app, draw, texts, () => state().done);
    draw();

    const kit = new Kit<Of>(scene, goal, start, argument.look);
    return {
      read: state,
      solve() {
        if (state().done) return [];
        const turn = app.solve(kit);
        if (turn) return turn;
        if (argument.answer === undefined) throw new Error('the oracle cannot continue');
        const look = argument.look === undefined ? undefined : app.look?.(kit, argument.look as never);
        if (look) return look;
        const answer: Action = { type: 'finished', answer: argument.answer };
        return { thought: `it says ${argument.answer}: that is the answer`, actions: [answer] };
      },
      finish(answer) {
        finished ??= answer === undefined ? {} : { answer };
        judged = undefined;
      },
    };
  };
}

function listen<Of extends AppKind>(
  scene: Scene<Of>,
  app: AppPage<Of>,
  draw: () => void,
  texts: WeakMap<Field, string>,
  over: () => boolean,
): void {
  const { ui } = scene;
  // The page has its own clipboard, as the browser's is shared by all sessions.
  let clipboard = '';
  let pressed: ElementHandlers | undefined;
  let editing: EventTarget | null = null;

  /** Calls back for trusted events and redraws, unless the callback returns false. */
  const hear = <Name extends keyof WindowEventMap>(name: Name, heard: (event: WindowEventMap[Name]) => unknown) => {
    const listener = (event: WindowEventMap[Name]) => {
      if (!event.isTrusted) return;
      if (!over()) {
        if (heard(event) !== false) draw();
      } else if (event.cancelable) event.preventDefault();
    };
    window.addEventListener(name, listener, { capture: true, passive: false });
  };

  hear('click', (event) => {
    const open = ui.menu;
    ui.toast = '';
    const hit = event.detail === 2 ? (handlerAt(event.target, 'twice') ?? handlerAt(event.target, 'press')) : undefined;
    if (hit?.hand.twice) hit.hand.twice();
    else handlerAt(event.target, 'press')?.hand.press(event);
    const within = event.target instanceof Element && event.target.closest('.list');
    if (ui.menu === open && !within) ui.menu = '';
  });
  hear('contextmenu', (event) => {
    event.preventDefault();
    const hit = handlerAt(event.target, 'context');
    ui.menu = '';
    hit?.hand.context(event);
  });
  hear('mousedown', (event) => {
    if (event.button !== 0) return false;
    pressed = handlerAt(event.target, 'down')?.hand;
    if (!pressed) return false;
    pressed.down?.(event);
    return true;
  });
  hear('mousemove', (event) => {
    if (!pressed || !(event.buttons & 1)) return false;
    pressed.move?.(event);
    return true;
  });
  hear('mouseup', (event) => {
    if (!pressed) return false;
    pressed.up?.(event);
    pressed = undefined;
    return true;
  });
  hear('wheel', (event) => {
    const hand = handlerAt(event.target, 'wheel')?.hand;
    hand?.wheel(event);
    return hand !== undefined;
  });
  hear('dragstart', (event) => {
    event.preventDefault();
    return false;
  });

  hear('keydown', (event) => {
    const field = isField(event.target) ? event.target : undefined;
    const hand = handlerAt(event.target, 'key')?.hand;
    const command = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (event.key === 'Escape') {
      if (ui.menu) ui.menu = '';
      else app.escape?.(scene);
    } else if (hand?.key(event)) event.preventDefault();
    else if (field && command && ['c', 'x', 'v'].includes(key)) {
      event.preventDefault();
      const [from, to] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
      if (key !== 'v' && from < to) clipboard = field.value.slice(from, to);
      if (key === 'c' || field.readOnly) return false;
      field.setRangeText(key === 'x' ? '' : clipboard, from, to, 'end');
      handlerAt(field, 'type')?.hand.type(field.value);
    } else if (field && event.key === 'Enter' && (field instanceof HTMLInputElement || command)) {
      event.preventDefault();
      handlerAt(field, 'enter')?.hand.enter();
    } else if (!field && app.key?.(scene, event)) event.preventDefault();
    else return false;
    return true;
  });

  // A script's edit has no `beforeinput` and is undone.
  hear('beforeinput', (event) => {
    const hand = handlerAt(event.target, 'edit')?.hand;
    if (hand) {
      event.preventDefault();
      hand.edit(event);
      return true;
    }
    if (isField(event.target)) {
      const text = texts.get(event.target) ?? '';
      if (event.target.value !== text) event.target.value = text;
      editing = event.target;
    }
    return false;
  });
  hear('input', (event) => {
    if (!isField(event.target)) return false;
    if (editing === event.target) handlerAt(event.target, 'type')?.hand.type(event.target.value);
    editing = null;
    return true;
  });
}
