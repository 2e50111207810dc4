export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** How an element shows its text. */
export interface TextSurface {
  readonly style: CSSStyleDeclaration;
  readonly fontSize: number;
  readonly clip: Rect;
  /** The nearest element that the pointer can hit: pages let it pass through tooltips and labels. */
  readonly anchor: Element;
  /** Its positioned ancestor. */
  readonly layer: Element | undefined;
  /** Whether its own clipped lines end in an ellipsis. */
  readonly ellipsis: boolean;
  /** Number of the innermost framed element around the text; 0 without one. */
  readonly frame: number;
}

/** Solid enough to make text behind it unreadable; a dialog's backdrop is not. */
const opaqueAlpha = 0.7;

const intersection = (a: Rect, b: Rect): Rect => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});

/** A positioned element, which may cover text. */
interface Overlay {
  readonly element: Element;
  readonly rect: Rect;
  /** Whether the pointer passes through it, so that no hit test finds it. */
  readonly passes: boolean;
}

/** Decides which text of the page is visible. Caches styles, so it lives for one measurement. */
export class Visibility {
  readonly #screen: Rect = { left: 0, top: 0, right: window.innerWidth, bottom: window.innerHeight };
  readonly #clips = new Map<Element, Rect>();
  readonly #surfaces = new Map<Element, TextSurface | undefined>();
  readonly #opaque = new Map<Element, boolean>();
  readonly #frames = new Map<Element, number>();
  readonly #overlays: readonly Overlay[];
  readonly #positioned: ReadonlySet<Element>;
  /** Overlays found to lie below the text of a layer. */
  readonly #beneath = new Map<Element | undefined, Set<Element>>();

  constructor() {
    this.#overlays = [...document.body.querySelectorAll('*')].flatMap((element): Overlay[] => {
      const { position, pointerEvents } = getComputedStyle(element);
      if (position === 'static') return [];
      const rect = element.getBoundingClientRect();
      if (rect.width === 0 || rect.height === 0) return [];
      return [{ element, rect, passes: pointerEvents === 'none' }];
    });
    this.#positioned = new Set(this.#overlays.map(({ element }) => element));
  }

  /** Returns undefined if the element or all of its text is hidden. */
  surfaceOf(element: Element): TextSurface | undefined {
    if (this.#surfaces.has(element)) return this.#surfaces.get(element);
    const surface = this.#measure(element);
    this.#surfaces.set(element, surface);
    return surface;
  }

  /** Returns whether nothing solid covers the point of an element. */
  isUncovered({ anchor, layer }: TextSurface, element: Element, x: number, y: number): boolean {
    // Hit tests are slow, and most pages have nothing above their text.
    const beneath = this.#beneath.get(layer);
    const above = this.#overlays.filter(
      ({ element: overlay, rect: { left, top, right, bottom } }) =>
        x > left &&
        x < right &&
        y > top &&
        y < bottom &&
        !beneath?.has(overlay) &&
        !overlay.contains(element) &&
        !element.contains(overlay),
    );
    if (above.length === 0) return true;
    if (above.some(({ passes, element: overlay }) => passes && this.#isOpaque(overlay))) return false;
    const isNear = (hit: Element) => anchor.contains(hit) || hit.contains(anchor);
    const hit = document.elementFromPoint(x, y);
    if (!hit) return false;
    if (isNear(hit)) {
      this.#beneath.set(layer, new Set([...(beneath ?? []), ...above.map(({ element: overlay }) => overlay)]));
      return true;
    }
    // Text shows through the backdrop of a dialog, but not through the dialog.
    for (let cover: Element | null = hit; cover && !cover.contains(element); cover = cover.parentElement) {
      if (this.#isOpaque(cover)) return false;
    }
    return true;
  }

  /** Returns the part of the screen in which an element's content is drawn. */
  clipOf(element: Element): Rect {
    const known = this.#clips.get(element);
    if (known) return known;
    const { position, overflowX, overflowY } = getComputedStyle(element);
    // An absolutely positioned element escapes the borders of elements below its containing block.
    const container =
      position === 'fixed'
        ? null
        : position === 'absolute' && element instanceof HTMLElement
          ? element.offsetParent
          : element.parentElement;
    let clip = container ? this.clipOf(container) : this.#screen;
    const isRoot = element === document.body || element === document.documentElement;
    if (!isRoot && (overflowX !== 'visible' || overflowY !== 'visible')) clip = intersection(clip, paddingBox(element));
    this.#clips.set(element, clip);
    return clip;
  }

  #measure(element: Element): TextSurface | undefined {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return undefined;
    const clip = this.clipOf(element);
    if (clip.right - clip.left < 1 || clip.bottom - clip.top < 1) return undefined;
    const style = getComputedStyle(element);
    const scale = element instanceof SVGGraphicsElement ? uprightScale(element) : 1;
    const fontSize = Number.parseFloat(style.fontSize) * scale;
    if (fontSize < 1 || alphaOf(style.color) < 0.1) return undefined;
    let anchor = element;
    while (anchor.parentElement && getComputedStyle(anchor).pointerEvents === 'none') anchor = anchor.parentElement;
    const ellipsis =
      style.textOverflow === 'ellipsis' && style.overflowX !== 'visible' && element.scrollWidth > element.clientWidth;
    return { style, fontSize, clip, anchor, layer: this.#layerOf(element), ellipsis, frame: this.#frameOf(element) };
  }

  #frameOf(element: Element): number {
    const known = this.#frames.get(element);
    if (known !== undefined) return known;
    const parent = element === document.body ? null : element.parentElement;
    const frame = !parent ? 0 : isFramed(element) ? this.#frames.size + 1 : this.#frameOf(parent);
    this.#frames.set(element, frame);
    return frame;
  }

  #layerOf(element: Element): Element | undefined {
    let layer: Element | null = element;
    while (layer && !this.#positioned.has(layer)) layer = layer.parentElement;
    return layer ?? undefined;
  }

  #isOpaque(element: Element): boolean {
    const known = this.#opaque.get(element);
    if (known !== undefined) return known;
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    const isOpaque =
      element instanceof SVGElement ||
      element.matches('img,canvas,video') ||
      (backgroundImage !== 'none' ? 1 : alphaOf(backgroundColor)) * Number(opacity) >= opaqueAlpha;
    this.#opaque.set(element, isOpaque);
    return isOpaque;
  }
}

/** Returns whether an element, other than a part of a line, has a border at its sides or a background. */
function isFramed(element: Element): boolean {
  const style = getComputedStyle(element);
  if (style.display === 'inline' || style.display === 'contents') return false;
  const hasBorder = (width: string, colour: string): boolean => Number.parseFloat(width) > 0 && alphaOf(colour) > 0.1;
  return (
    hasBorder(style.borderLeftWidth, style.borderLeftColor) ||
    hasBorder(style.borderRightWidth, style.borderRightColor) ||
    style.backgroundImage !== 'none' ||
    alphaOf(style.backgroundColor) > 0.1
  );
}

/** Returns the area inside an element's borders. */
export function paddingBox(element: Element): Rect {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  if (!(element instanceof HTMLElement)) return { left, top, right, bottom };
  const [x, y] = [left + element.clientLeft, top + element.clientTop];
  return { left: x, top: y, right: x + element.clientWidth, bottom: y + element.clientHeight };
}

/** Returns px per unit of a drawing; 0 for a rotated element, whose text a reader of upright lines cannot read. */
function uprightScale(element: SVGGraphicsElement): number {
  const { a, b } = element.getScreenCTM() ?? { a: 0, b: 0 };
  return Math.abs(b) > 0.1 * Math.abs(a) ? 0 : Math.abs(a);
}

/** Reads the opacity of a computed colour, such as `rgba(0, 0, 0, 0.4)` or `color(srgb 0 0 0 / 0.4)`. */
function alphaOf(colour: string): number {
  const alpha = /^rgba\(.*,\s*([\d.]+)\)$|\/\s*([\d.]+)\)$/.exec(colour);
  return alpha ? Number(alpha[1] ?? alpha[2]) : 1;
}
