/** Top and bottom of a line, then left and right of each of its code points, in px of the page. */
export type MeasuredLine = readonly number[];

/** A line's reach above and below its baseline, relative to the font size. Fonts declare others, some without room for accents. */
const [ascent, descent] = [0.93, 0.24];

/** Measures the `.l` elements in the page's order. A line that its panel clips has no code points. */
export default function measureLines(): MeasuredLine[] {
  const range = document.createRange();
  const canvas = document.createElement('canvas').getContext('2d')!;
  const round = (value: number): number => Math.round(value * 100) / 100;
  return [...document.querySelectorAll('.l')].map((line) => {
    const node = line.firstChild!;
    const sides: number[] = [];
    let bottom = 0;
    let offset = 0;
    for (const char of node.nodeValue ?? '') {
      range.setStart(node, offset);
      offset += char.length;
      range.setEnd(node, offset);
      const rect = range.getBoundingClientRect();
      sides.push(round(rect.left), round(rect.right));
      bottom = Math.max(bottom, rect.bottom);
    }
    const { font, fontSize } = getComputedStyle(line);
    canvas.font = font;
    const baseline = bottom - canvas.measureText('H').fontBoundingBoxDescent;
    const size = parseFloat(fontSize);
    const panel = line.closest('.p')!.getBoundingClientRect();
    const whole = Math.min(...sides) >= panel.left && Math.max(...sides) <= panel.right;
    return [round(baseline - ascent * size), round(baseline + descent * size), ...(whole ? sides : [])];
  });
}
