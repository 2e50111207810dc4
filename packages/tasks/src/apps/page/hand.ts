/** What an element does when a hand or a key gets to it. */
export interface Hand {
  readonly press?: (event: MouseEvent) => void;
  /** A double click; where absent, its second click is a press. */
  readonly twice?: () => void;
  /** The right button. */
  readonly context?: (event: MouseEvent) => void;
  /** The left button goes down; what comes after it, wherever the pointer is, goes to `move` and `up` of the same element. */
  readonly down?: (event: MouseEvent) => void;
  readonly move?: (event: MouseEvent) => void;
  readonly up?: (event: MouseEvent) => void;
  readonly wheel?: (event: WheelEvent) => void;
  /** A text field's whole text after a change. */
  readonly type?: (text: string) => void;
  readonly enter?: () => void;
  /** Every key while the element has the keyboard; true where it was of use. */
  readonly key?: (event: KeyboardEvent) => boolean;
  /** An edit that is about to happen in an editable element. */
  readonly edit?: (event: InputEvent) => void;
}

const hands = new WeakMap<Element, Hand>();

/** Properties for an element that can be acted on: `<div {...on('send', { press: send })}>`. */
export function on(name: string, hand: Hand = {}) {
  return {
    'data-name': name,
    ref: (element: Element | null) => {
      if (element) hands.set(element, hand);
    },
  };
}

/** The innermost element at or around a target whose hand can do a thing. */
export function handAt<Does extends keyof Hand>(
  target: EventTarget | null,
  does: Does,
): { element: HTMLElement; hand: Hand & Required<Pick<Hand, Does>> } | undefined {
  for (let element = target instanceof Element ? target : null; element; element = element.parentElement) {
    const hand = hands.get(element);
    if (hand?.[does]) return { element: element as HTMLElement, hand: hand as never };
    // What is named and pressed in vain does not press what is around it.
    if (hand && does === 'press' && hand.down) return undefined;
  }
  return undefined;
}
