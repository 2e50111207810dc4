export interface ElementHandlers {
  readonly press?: (event: MouseEvent) => void;
  /** If absent, the second click is a press. */
  readonly twice?: () => void;
  readonly context?: (event: MouseEvent) => void;
  /** Further moves and the release go to this element, wherever the pointer is. */
  readonly down?: (event: MouseEvent) => void;
  readonly move?: (event: MouseEvent) => void;
  readonly up?: (event: MouseEvent) => void;
  readonly wheel?: (event: WheelEvent) => void;
  /** Receives the field's whole text. */
  readonly type?: (text: string) => void;
  readonly enter?: () => void;
  /** Returns whether the key was used. */
  readonly key?: (event: KeyboardEvent) => boolean;
  /** Called before an edit of an editable element. */
  readonly edit?: (event: InputEvent) => void;
}

const hands = new WeakMap<Element, ElementHandlers>();

/** Returns the properties of an interactive element: `<div {...on('send', { press: send })}>`. */
export function on(name: string, hand: ElementHandlers = {}) {
  return {
    'data-name': name,
    ref: (element: Element | null) => {
      if (element) hands.set(element, hand);
    },
  };
}

/** Returns the innermost enclosing element with such a handler. */
export function handlerAt<Does extends keyof ElementHandlers>(
  target: EventTarget | null,
  does: Does,
): { element: HTMLElement; hand: ElementHandlers & Required<Pick<ElementHandlers, Does>> } | undefined {
  for (let element = target instanceof Element ? target : null; element; element = element.parentElement) {
    const hand = hands.get(element);
    if (hand?.[does]) return { element: element as HTMLElement, hand: hand as never };
    // A press on a draggable element never reaches the elements around it.
    if (hand && does === 'press' && hand.down) return undefined;
  }
  return undefined;
}
