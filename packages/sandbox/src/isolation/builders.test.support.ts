import { bubblewrapWalls } from './bubblewrapWalls.js';
import { probeIsolation, type Isolation } from './createEnclosure.js';
import { podmanWalls } from './podmanWalls.js';
import type { WallBuilder } from './wallBuilder.js';
import { isolation, whyNot } from './within.test.support.js';

export interface Built {
  readonly kind: WallBuilder['kind'];
  readonly builder: WallBuilder;
  readonly isolation: Isolation;
  readonly label: string;
}

const podman = await probeIsolation({ builder: 'podman' });

export const byPodman: Built = {
  kind: 'podman',
  builder: podmanWalls(),
  isolation: podman,
  label: `by podman${podman.kind === 'none' ? ` (left out: ${podman.reason.split('\n')[0]})` : ''}`,
};
export const builders: readonly Built[] = [
  { kind: 'bubblewrap', builder: bubblewrapWalls, isolation, label: `by bubblewrap${whyNot}` },
  byPodman,
];
