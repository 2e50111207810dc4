import type { Action, Point } from '@gyre/protocol';

/** Double-click wait in ms, and the shortest drag and turn of the wheel in px. */
const doubleClickMs = 220;
const dragPx = 4;
const wheelPx = 60;
/** Characters within this time are one action. */
const typingMs = 350;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the point of the screen that `box` shows, 0..1. */
export function pointIn(
  { left, top, width, height }: Box,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
): Point {
  const within = (value: number): number => Math.min(1, Math.max(0, value));
  return { x: within((clientX - left) / width), y: within((clientY - top) / height) };
}

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey' | 'isComposing'> &
  Partial<Pick<KeyboardEvent, 'getModifierState'>>;

const named = /^(Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|Page(Up|Down)|Arrow\w+|F\d+)$/;

/** Returns the action of a key; undefined for modifiers, and for keys that sessions do not have. */
function keyAction(event: Key): Action | undefined {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  const character = [...key].length === 1;
  if (event.isComposing || (!character && !named.test(key))) return undefined;
  const typed = character && ((!ctrlKey && !altKey && !metaKey) || event.getModifierState?.('AltGraph') === true);
  if (typed) return { type: 'type', text: key };
  const modifiers = [ctrlKey && 'ctrl', altKey && 'alt', metaKey && 'meta', shiftKey && 'shift'].filter(Boolean);
  if (modifiers.length > 2) return undefined;
  return { type: 'hotkey', keys: [...modifiers, key === ' ' ? 'space' : key.toLowerCase()].join(' ') };
}

const isGiveBack = ({ key, ctrlKey, altKey }: Key): boolean => key === 'Escape' && ctrlKey && altKey;

export interface PersonInputOptions {
  /** Called with one action at a time, as a policy would say it. */
  readonly onAction: (action: Action) => void;
  /** Ctrl Alt Escape. Default: an action like any other. */
  readonly onGiveBack?: (() => void) | undefined;
}

/**
 * Turns a person's mouse and keys on an element into canonical actions. The element shows the whole screen, and nothing
 * else. A click with Alt moves the mouse; a drag is one action; characters that are typed quickly are one text.
 *
 * @returns a function that stops listening
 */
export function listenToPerson(element: HTMLElement, options: PersonInputOptions): () => void {
  const listener = new PersonListener(element, options);
  return () => listener.stop();
}

class PersonListener {
  readonly #element: HTMLElement;
  readonly #options: PersonInputOptions;
  readonly #listening = new AbortController();
  #down: { readonly button: number; readonly event: PointerEvent; readonly second: boolean } | undefined;
  /** Waits for a second click. */
  #click:
    | { readonly event: PointerEvent; readonly timer: ReturnType<typeof setTimeout>; readonly act: () => void }
    | undefined;
  #text = '';
  #typing: ReturnType<typeof setTimeout> | undefined;
  #wheel = { x: 0, y: 0 };

  constructor(element: HTMLElement, options: PersonInputOptions) {
    this.#element = element;
    this.#options = options;
    const { signal } = this.#listening;
    element.addEventListener('pointerdown', (event) => this.#onDown(event), { signal });
    element.addEventListener('pointerup', (event) => this.#onUp(event), { signal });
    element.addEventListener('pointercancel', () => (this.#down = undefined), { signal });
    element.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
    element.addEventListener('dragstart', (event) => event.preventDefault(), { signal });
    element.addEventListener('wheel', (event) => this.#onWheel(event), { signal, passive: false });
    element.addEventListener('keydown', (event) => this.#onKey(event), { signal });
  }

  stop(): void {
    this.#listening.abort();
    clearTimeout(this.#click?.timer);
    clearTimeout(this.#typing);
  }

  #act(action: Action): void {
    this.#sayText();
    this.#options.onAction(action);
  }

  #pointOf(event: { readonly clientX: number; readonly clientY: number }): Point {
    return pointIn(this.#element.getBoundingClientRect(), event);
  }

  #onDown(event: PointerEvent): void {
    if (this.#down) return;
    event.preventDefault();
    this.#element.focus();
    this.#element.setPointerCapture(event.pointerId);
    const first = this.#click;
    const second = first !== undefined && event.button === 0 && !isFar(first.event, event);
    if (!second) this.#sayClick();
    clearTimeout(first?.timer);
    this.#click = undefined;
    this.#down = { button: event.button, event, second };
  }

  #onUp(event: PointerEvent): void {
    const down = this.#down;
    this.#down = undefined;
    if (!down) return;
    const point = this.#pointOf(down.event);
    if (event.altKey) return this.#act({ type: 'mouse_move', point });
    if (down.button === 2) return this.#act({ type: 'right_click', point });
    if (down.button === 1) return this.#act({ type: 'middle_click', point });
    if (isFar(down.event, event)) return this.#act({ type: 'drag', start: point, end: this.#pointOf(event) });
    if (down.second) return this.#act({ type: 'double_click', point });
    const act = (): void => {
      this.#click = undefined;
      this.#act({ type: 'click', point });
    };
    this.#click = { event: down.event, act, timer: setTimeout(act, doubleClickMs) };
  }

  #onWheel(event: WheelEvent): void {
    event.preventDefault();
    this.#sayClick();
    const unit = event.deltaMode === 0 ? 1 : 40;
    const { x, y } = (this.#wheel = {
      x: this.#wheel.x + event.deltaX * unit,
      y: this.#wheel.y + event.deltaY * unit,
    });
    const isVertical = Math.abs(y) >= Math.abs(x);
    if (Math.abs(isVertical ? y : x) < wheelPx) return;
    this.#wheel = { x: 0, y: 0 };
    const direction = isVertical ? (y > 0 ? 'down' : 'up') : x > 0 ? 'right' : 'left';
    this.#act({ type: 'scroll', point: this.#pointOf(event), direction });
  }

  #onKey(event: KeyboardEvent): void {
    const { onGiveBack } = this.#options;
    if (onGiveBack && isGiveBack(event)) {
      event.preventDefault();
      this.#sayText();
      return onGiveBack();
    }
    const action = keyAction(event);
    if (!action) return;
    this.#sayClick();
    event.preventDefault();
    // The page's own keys stay quiet.
    event.stopPropagation();
    if (action.type !== 'type') return this.#act(action);
    this.#text += action.text;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#sayText(), typingMs);
  }

  /** Does not wait for a second click. */
  #sayClick(): void {
    clearTimeout(this.#click?.timer);
    this.#click?.act();
  }

  #sayText(): void {
    clearTimeout(this.#typing);
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#options.onAction({ type: 'type', text });
  }
}

const isFar = (first: PointerEvent, second: PointerEvent): boolean =>
  Math.hypot(first.clientX - second.clientX, first.clientY - second.clientY) > dragPx;
