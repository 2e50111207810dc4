import type { Episode } from '@gyre/protocol';
import { deserialize, serialize } from 'node:v8';

/** An episode as bytes outside the heap: readings of thousands of them would take seconds of every garbage collection. */
export class PackedEpisode {
  readonly id: string;
  readonly family: string;
  readonly seed: number;
  readonly #bytes: Uint8Array;

  constructor(episode: Episode) {
    this.id = episode.id;
    this.family = episode.task.family;
    this.seed = episode.task.seed;
    this.#bytes = serialize(episode);
  }

  unpack(): Episode {
    return deserialize(this.#bytes) as Episode;
  }
}
