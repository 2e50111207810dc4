import {
  type AgentAction,
  describeAction,
  type PixelBox,
  type Point,
  pointsOf,
  type Size,
  type Turn,
} from '@gyre/protocol';

const longest = 40;

/** Says what a turn does, with the texts that it aims at where a reader saw them: `click “Save”`. */
export function turnWords(
  { actions, reading, targets }: Pick<Turn, 'actions' | 'reading' | 'targets'>,
  size: Size,
): string[] {
  let next = 0;
  return actions.map((action) => {
    const names = pointsOf(action).map((point) => {
      const target = targets?.[next++];
      return nameAt(reading, { x: point.x * size.width, y: point.y * size.height }, target) ?? placeOf(point);
    });
    return names.length === 0 ? describeAction(action) : withNames(action, names);
  });
}

function withNames(action: AgentAction, names: readonly string[]): string {
  const verb = action.type.replaceAll('_', ' ');
  if (action.type === 'scroll') return `scroll ${action.direction} at ${names[0]}`;
  return `${verb} ${names.join(' → ')}`;
}

const placeOf = ({ x, y }: Point): string => `at ${Math.round(100 * x)} %, ${Math.round(100 * y)} %`;

/** Returns the text in the target, or the smallest line at the point. */
function nameAt(reading: Turn['reading'], point: Point, target: PixelBox | null | undefined): string | undefined {
  const lines = reading?.lines ?? [];
  if (target) {
    const inside = lines.filter(({ box }) => contains(target, { x: box.x + box.width / 2, y: box.y + box.height / 2 }));
    if (inside.length > 0) return quoted(inside.map(({ text }) => text).join(' '));
  }
  // A button is a little larger than its text.
  const near = lines.filter(({ box }) => contains(grown(box, box.height / 2), point));
  const [nearest] = near.toSorted((a, b) => a.box.width * a.box.height - b.box.width * b.box.height);
  return nearest && quoted(nearest.text);
}

const quoted = (text: string): string => `“${text.length > longest ? `${text.slice(0, longest - 1)}…` : text}”`;

const grown = ({ x, y, width, height }: PixelBox, by: number): PixelBox => ({
  ...{ x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by },
});

const contains = ({ x, y, width, height }: PixelBox, point: Point): boolean =>
  point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;
