import type { Random } from '../../family/random.js';
import { distancesTo } from '../site/linkGraph.js';
import type { Site } from '../site/site.js';

/** From one page to another by links only. */
export interface Walk {
  readonly start: number;
  readonly target: number;
  /** The fewest links. */
  readonly links: number;
}

/** Draws a walk of `links` links, or of as many as the world has walks for, between two entities. */
export function drawWalk(site: Site, random: Random, links: number): Walk {
  const { entities } = site.world;
  const target = random.pick(entities).id;
  const distances = distancesTo(site, target);
  const far = entities.map(({ id }) => distances.get(id) ?? 0);
  const most = Math.min(links, Math.max(...far));
  const starts = entities.filter(({ id }) => distances.get(id) === most);
  return { start: random.pick(starts).id, target, links: most };
}
