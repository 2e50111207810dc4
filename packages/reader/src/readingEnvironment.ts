import {
  type AgentAction,
  type ContentHash,
  type Environment,
  EnvironmentWrapper,
  type Frame,
  type Reading,
  type ResetOptions,
  type StepOptions,
  type StepResult,
} from '@gyre/protocol';
import type { Reader, Screen } from './reader.js';

interface Parts {
  /** May be shared; `close` leaves it open. */
  readonly reader: Reader;
  /** Decodes `png` to RGB, `[height, width, 3]`. */
  readonly decode: (frame: Frame) => Promise<Uint8Array>;
}

/**
 * Adds a reading of the pixels to every observation. It replaces a reading that is there already: an agent that is
 * evaluated must not see what was derived from the page.
 */
export class ReadingEnvironment extends EnvironmentWrapper {
  readonly #parts: Parts;
  #previous: { readonly screen: Screen; readonly reading: Reading } | undefined;
  /** The latest reading, perhaps in progress. */
  #latest: { readonly hash: ContentHash; readonly reading: Promise<Reading> } | undefined;

  constructor(inner: Environment, parts: Parts) {
    super(inner);
    this.#parts = parts;
  }

  override async reset(options?: ResetOptions): Promise<Frame> {
    return this.#withReading(await super.reset(options));
  }

  /** Reads while the reward is read. `onObservation` gets the frame without a reading. */
  override async step(actions: readonly AgentAction[], options: StepOptions = {}): Promise<StepResult> {
    const { onObservation } = options;
    const result = await super.step(actions, {
      ...options,
      onObservation: (frame) => {
        // `#withReading` awaits it below.
        this.#read(frame).catch(() => undefined);
        onObservation?.({ png: frame.png, hash: frame.hash, size: frame.size });
      },
    });
    return { ...result, observation: await this.#withReading(result.observation) };
  }

  override async observe(): Promise<Frame> {
    return this.#withReading(await super.observe());
  }

  async #withReading(frame: Frame): Promise<Frame> {
    return { ...frame, reading: await this.#read(frame) };
  }

  #read(frame: Frame): Promise<Reading> {
    if (this.#latest?.hash === frame.hash) return this.#latest.reading;
    const latest = { hash: frame.hash, reading: this.#readPixels(frame) };
    this.#latest = latest;
    latest.reading.catch(() => {
      if (this.#latest === latest) this.#latest = undefined;
    });
    return latest.reading;
  }

  async #readPixels(frame: Frame): Promise<Reading> {
    const screen = { pixels: await this.#parts.decode(frame), size: frame.size };
    const reading = await this.#parts.reader.read(screen, this.#previous);
    this.#previous = { screen, reading };
    return reading;
  }
}
