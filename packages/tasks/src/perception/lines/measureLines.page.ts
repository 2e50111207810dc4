/** Top and bottom of a line, then left and right of each of its code points, in px of the page. */
export type MeasuredLine = readonly number[];

/** Measures the `.l` elements in the page's order. A line that its panel clips has no code points. */
export default function measureLines(): MeasuredLine[] {
  const range = document.createRange();
  const round = (value: number): number => Math.round(value * 100) / 100;
  return [...document.querySelectorAll('.l')].map((line) => {
    const node = line.firstChild;
    const text = node?.nodeValue ?? '';
    const sides: number[] = [];
    let [top, bottom] = [Infinity, -Infinity];
    let offset = 0;
    for (const char of text) {
      range.setStart(node!, offset);
      offset += char.length;
      range.setEnd(node!, offset);
      const rect = range.getBoundingClientRect();
      sides.push(round(rect.left), round(rect.right));
      top = Math.min(top, rect.top);
      bottom = Math.max(bottom, rect.bottom);
    }
    const panel = line.closest('.p')!.getBoundingClientRect();
    const whole = Math.min(...sides) >= panel.left && Math.max(...sides) <= panel.right;
    return [round(top), round(bottom), ...(whole ? sides : [])];
  });
}
