/** Left, top, width and height, in px of the screen. */
export type ShapeBox = readonly [x: number, y: number, width: number, height: number];

/** Returns the boxes of elements without text that have the size of text, such as icons, rings and handles. */
export default function shapes(): ShapeBox[] {
  const textless = new Set(['checkbox', 'radio', 'range', 'color']);
  return [...document.body.querySelectorAll('*')].flatMap((element): ShapeBox[] => {
    if (/\S/.test(element.textContent) || element.matches('canvas,textarea,select,script,style')) return [];
    if (element instanceof HTMLInputElement && !textless.has(element.type)) return [];
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
    const { x, y, width, height } = element.getBoundingClientRect();
    const isInside = x >= 0 && y >= 0 && x + width <= window.innerWidth && y + height <= window.innerHeight;
    return isInside && width >= 4 && height >= 5 && height <= 40 && width <= 160 ? [[x, y, width, height]] : [];
  });
}
