/** A connected region of a map above a threshold. Right and bottom are exclusive. */
export interface Component {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** In px. */
  area: number;
  /** Sum of the map's values. */
  sum: number;
}

/** Labels the 8-connected components of `map > threshold`, `[height, width]`, in two passes with union-find. */
export function components(
  map: Float32Array,
  { width, height }: { width: number; height: number },
  threshold: number,
): Component[] {
  const labels = new Int32Array(width * height);
  const parents = [0];
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (!(map[i]! > threshold)) continue;
      const above = y > 0 ? labels[i - width]! : 0;
      // The pixel above is a neighbour of the other three, so they are in its component already.
      if (above > 0) {
        labels[i] = above;
        continue;
      }
      const before = x > 0 ? labels[i - 1]! : 0;
      const aboveLeft = x > 0 && y > 0 ? labels[i - width - 1]! : 0;
      const aboveRight = x < width - 1 && y > 0 ? labels[i - width + 1]! : 0;
      const label = before || aboveLeft || aboveRight || parents.push(parents.length) - 1;
      labels[i] = label;
      if (aboveRight > 0 && aboveRight !== label) join(parents, label, aboveRight);
    }
  }
  const regions = new Map<number, Component>();
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (labels[i] === 0) continue;
      const root = rootOf(parents, labels[i]!);
      const region = regions.get(root);
      if (region === undefined) {
        regions.set(root, { left: x, top: y, right: x + 1, bottom: y + 1, area: 1, sum: map[i]! });
        continue;
      }
      if (x < region.left) region.left = x;
      if (x >= region.right) region.right = x + 1;
      region.bottom = y + 1;
      region.area++;
      region.sum += map[i]!;
    }
  }
  return [...regions.values()];
}

function rootOf(parents: number[], label: number): number {
  let root = label;
  while (parents[root] !== root) root = parents[root]!;
  while (parents[label] !== root) [parents[label], label] = [root, parents[label]!];
  return root;
}

function join(parents: number[], a: number, b: number): void {
  const [x, y] = [rootOf(parents, a), rootOf(parents, b)];
  parents[Math.max(x, y)] = Math.min(x, y);
}
