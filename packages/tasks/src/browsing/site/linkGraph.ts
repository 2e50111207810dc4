import type { Site } from './site.js';

/** Returns link distances; unconnected pages are missing. */
export function distancesTo(site: Site, target: number): Map<number, number> {
  const back: number[][] = Array.from({ length: site.count }, () => []);
  for (let page = 0; page < site.count; page++) for (const to of site.links(page)) back[to]?.push(page);
  const distances = new Map([[target, 0]]);
  const queue = [target];
  for (const page of queue) {
    for (const from of back[page] ?? []) {
      if (distances.has(from)) continue;
      distances.set(from, (distances.get(page) ?? 0) + 1);
      queue.push(from);
    }
  }
  return distances;
}
