import type { Random } from '../../family/random.js';
import { distancesTo } from '../site/linkGraph.js';
import type { Site } from '../site/site.js';

export interface Walk {
  readonly start: number;
  readonly target: number;
  readonly links: number;
}

/** Draws a shorter walk if the world has none of `links`. */
export function drawWalk(site: Site, random: Random, links: number): Walk {
  const { entities } = site.world;
  const target = random.pick(entities).id;
  const distances = distancesTo(site, target);
  const far = entities.map(({ id }) => distances.get(id) ?? 0);
  const length = Math.min(links, Math.max(...far));
  const starts = entities.filter(({ id }) => distances.get(id) === length);
  return { start: random.pick(starts).id, target, links: length };
}
