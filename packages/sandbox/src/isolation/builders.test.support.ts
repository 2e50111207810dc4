import { bubblewrapBuilder } from './bubblewrap.js';
import { probeIsolation, type Isolation } from './createEnclosure.js';
import { podmanBuilder } from './podman.js';
import type { IsolationBuilder } from './isolationBuilder.js';
import { isolation, whyNot } from './within.test.support.js';

export interface Built {
  readonly kind: IsolationBuilder['kind'];
  readonly builder: IsolationBuilder;
  readonly isolation: Isolation;
  readonly label: string;
}

const podman = await probeIsolation({ builder: 'podman' });

export const byPodman: Built = {
  kind: 'podman',
  builder: podmanBuilder(),
  isolation: podman,
  label: `by podman${podman.kind === 'none' ? ` (left out: ${podman.reason.split('\n')[0]})` : ''}`,
};
export const builders: readonly Built[] = [
  { kind: 'bubblewrap', builder: bubblewrapBuilder, isolation, label: `by bubblewrap${whyNot}` },
  byPodman,
];

/** Only root can give a session a root of its own. */
export const rooted =
  process.getuid?.() === 0 ? [{ ...builders[0]!, root: 'machine', label: 'in a root of its own' }] : [];
