import { GyreError } from '@gyre/protocol';
import type { Picture, Piece } from '../engine.js';
import { piecesOf } from '../pieces.js';
import { promptPicture } from './promptPicture.js';
import type { PictureFeature, PlacedPicture, RenderedPrompt } from './renderedPrompt.js';
import type { VllmServer } from './vllmServer.js';

interface RenderedPicture {
  readonly feature: PictureFeature;
  /** Repeated `length` times in prompts. */
  readonly token: number;
  readonly length: number;
}

const maxPictures = 2048;

/**
 * Translates between prompts of pieces and a server's prompts. Each picture is rendered once: in its conversation, or
 * alone if the server has evicted it.
 */
export class RenderedPictures {
  readonly #server: Pick<VllmServer, 'render' | 'unexpected'>;
  readonly #maxUnsent: number;
  readonly #pictures = new Map<string, Promise<RenderedPicture>>();
  /** Oldest first. */
  readonly #unsent = new Map<string, PictureFeature>();

  /** @param maxUnsent bounds the data of pictures that wait to be sent, in characters */
  constructor(server: Pick<VllmServer, 'render' | 'unexpected'>, { maxUnsent }: { maxUnsent: number }) {
    this.#server = server;
    this.#maxUnsent = maxUnsent;
  }

  /**
   * Splits a rendered prompt at its pictures.
   *
   * @param sources the pictures of the prompt, in order
   * @throws GyreError `bad_input` unless each picture is a run of one token
   */
  pieces({ ids, pictures: places }: RenderedPrompt, sources: readonly Picture[]): Piece[] {
    if (sources.length !== places.length)
      throw this.#server.unexpected(`the prompt has ${places.length} pictures, not ${sources.length}`);
    for (const [index, { hash }] of sources.entries()) {
      const rendered = runOf(ids, places[index]!);
      const { feature } = rendered;
      if (this.#pictures.has(hash)) {
        if (this.#unsent.get(hash) !== feature) feature.data = null;
      } else if (feature.data !== null) {
        void this.#keep(hash, Promise.resolve(rendered));
        this.#unsent.set(hash, feature);
      }
    }
    this.#dropUnsent();
    return piecesOf(ids, {
      runs: places.map(({ offset: from, length }) => ({ from, length })),
      pictures: sources,
    });
  }

  /**
   * Builds the server's prompt.
   *
   * @throws GyreError `bad_input` for a picture of another length than the server's
   */
  async prompt(input: readonly Piece[]): Promise<RenderedPrompt> {
    const ids: number[] = [];
    const pictures: PlacedPicture[] = [];
    const rendered = await Promise.all(
      input.flatMap((piece) => ('picture' in piece ? [this.#rendered(piece.picture)] : [])),
    );
    for (const piece of input) {
      if ('tokens' in piece) {
        ids.push(...piece.tokens);
        continue;
      }
      const { feature, token, length } = rendered[pictures.length]!;
      if (piece.length !== length) {
        throw new GyreError('bad_input', `the server gives a picture ${length} tokens, not ${piece.length}`, {
          field: 'input',
          fix: 'use the same processor settings for trainer and sampler',
        });
      }
      pictures.push({ feature, offset: ids.length, length });
      ids.push(...new Array<number>(length).fill(token));
    }
    return { ids, pictures };
  }

  /** Renders the pictures of an input again when they are used next. */
  forget(input: readonly Piece[]): void {
    for (const piece of input) {
      if (!('picture' in piece)) continue;
      this.#pictures.delete(piece.picture.hash);
      this.#unsent.delete(piece.picture.hash);
    }
  }

  /** Returns the token that stands for pictures in prompts, such as `<|image_pad|>`. */
  async pictureToken(picture: Picture): Promise<number> {
    return (await this.#rendered(picture)).token;
  }

  #rendered(picture: Picture): Promise<RenderedPicture> {
    return this.#keep(picture.hash, this.#pictures.get(picture.hash) ?? this.#renderAlone(picture));
  }

  #dropUnsent(): void {
    let total = 0;
    for (const [hash, { data }] of this.#unsent) {
      if (data === null) this.#unsent.delete(hash);
      total += data?.length ?? 0;
    }
    for (const [hash, feature] of this.#unsent) {
      if (total <= this.#maxUnsent) return;
      total -= feature.data?.length ?? 0;
      feature.data = null;
      this.#unsent.delete(hash);
      this.#pictures.delete(hash);
    }
  }

  /** Takes no signal: other requests may wait for the same picture. */
  async #renderAlone({ png }: Picture): Promise<RenderedPicture> {
    const { ids, pictures } = await this.#server.render([{ role: 'user', content: [promptPicture(png)] }], {
      ask: false,
    });
    const [place] = pictures;
    if (!place || pictures.length > 1)
      throw this.#server.unexpected(`a prompt of one picture has ${pictures.length} of them`);
    return runOf(ids, place);
  }

  /** Drops the least recently used picture beyond `maxPictures`. */
  #keep(hash: string, rendered: Promise<RenderedPicture>): Promise<RenderedPicture> {
    this.#pictures.delete(hash);
    this.#pictures.set(hash, rendered);
    rendered.catch(() => this.#pictures.delete(hash));
    const [oldest] = this.#pictures.keys();
    if (this.#pictures.size > maxPictures && oldest !== undefined) this.#pictures.delete(oldest);
    return rendered;
  }
}

function runOf(ids: readonly number[], { feature, offset, length }: PlacedPicture): RenderedPicture {
  const token = ids[offset];
  if (token === undefined || ids.slice(offset, offset + length).some((id) => id !== token)) {
    throw new GyreError('bad_input', "the model's pictures are not runs of one token", {
      field: 'model',
      fix: 'use a model such as Qwen2.5-VL, Qwen3-VL or Kimi-VL',
    });
  }
  return { feature, token, length };
}
