/** Disjoint sets of runs, with the bounding box and the area of each set at its root. The memory is reused. */
export class Forest {
  parent = new Int32Array(0);
  left = new Int32Array(0);
  /** Exclusive. */
  right = new Int32Array(0);
  top = new Int32Array(0);
  /** Exclusive. */
  bottom = new Int32Array(0);
  area = new Int32Array(0);

  reserve(capacity: number): void {
    if (capacity <= this.parent.length) return;
    this.parent = grown(this.parent, capacity);
    this.left = grown(this.left, capacity);
    this.right = grown(this.right, capacity);
    this.top = grown(this.top, capacity);
    this.bottom = grown(this.bottom, capacity);
    this.area = grown(this.area, capacity);
  }

  add(node: number, left: number, right: number, row: number): void {
    this.parent[node] = node;
    this.left[node] = left;
    this.right[node] = right;
    this.top[node] = row;
    this.bottom[node] = row + 1;
    this.area[node] = right - left;
  }

  root(node: number): number {
    const { parent } = this;
    while (parent[node] !== node) {
      // Path halving.
      parent[node] = parent[parent[node]!]!;
      node = parent[node]!;
    }
    return node;
  }

  join(first: number, second: number): void {
    if (this.parent[first] === this.parent[second]) return;
    const a = this.root(first);
    const b = this.root(second);
    if (a === b) return;
    // The earlier root stays, so that results do not depend on the order of joins.
    const root = Math.min(a, b);
    const child = Math.max(a, b);
    const { parent, left, right, top, bottom, area } = this;
    parent[child] = root;
    if (left[child]! < left[root]!) left[root] = left[child]!;
    if (right[child]! > right[root]!) right[root] = right[child]!;
    if (top[child]! < top[root]!) top[root] = top[child]!;
    if (bottom[child]! > bottom[root]!) bottom[root] = bottom[child]!;
    area[root]! += area[child]!;
  }
}

export function grown(array: Int32Array<ArrayBuffer>, capacity: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(capacity);
  larger.set(array);
  return larger;
}
