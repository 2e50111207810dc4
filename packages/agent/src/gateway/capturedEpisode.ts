import { createHash, randomUUID } from 'node:crypto';
import type { EpisodeWriter, Lake } from '@gyre/lake';
import {
  type EpisodeEnd,
  type Origin,
  type SampledAfter,
  type TurnFormatName,
  type Turn,
  type Verdict,
  turnFormat,
} from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import PQueue from 'p-queue';
import type { ChatAnswer } from './chatAnswer.js';
import { textOf } from './chatRequest.js';
import { placeholderFrame } from './placeholderFrame.js';
import { detectFormat } from './detectFormat.js';

/** Family, split and purpose. */
export const captured = 'captured';

/** An agent's own turn limit is unknown. */
const noBudget = 2 ** 31 - 1;

export interface CapturedCall {
  readonly picture: Frame;
  readonly instruction: string;
  readonly model: string;
  readonly seed: number;
  readonly answer: ChatAnswer;
}

export interface CaptureOptions {
  readonly lake: Pick<Lake, 'putScreenshot' | 'begin'>;
  readonly origin: Origin;
  readonly format?: TurnFormatName | undefined;
}

/** One turn per answer. Its screen arrives with the next call and is `placeholderFrame` until then. */
export class CapturedEpisode {
  readonly id = `captured-${randomUUID()}`;
  readonly #options: CaptureOptions;
  #writer: EpisodeWriter | undefined;
  #turns = 0;
  #before: SampledAfter | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  get turns(): number {
    return this.#turns;
  }

  /** Resolves once the turn is durable. */
  keep(call: CapturedCall): Promise<void> {
    return this.#inOrder(async () => {
      const { lake } = this.#options;
      const { picture } = call;
      await lake.putScreenshot(picture.png, picture.hash);
      await lake.putScreenshot(placeholderFrame.png, placeholderFrame.hash);
      this.#writer ??= await this.#begin(call);
      if (this.#turns > 0) await this.#writer.see(seen(picture));
      await this.#writer.append(this.#turn(call));
      this.#turns++;
    });
  }

  /** Does nothing without a stored turn. */
  end(end: EpisodeEnd, verdict?: Verdict): Promise<void> {
    return this.#inOrder(async () => {
      await this.#writer?.finish(end, verdict);
    });
  }

  #begin({ picture, instruction, model, seed }: CapturedCall): Promise<EpisodeWriter> {
    const { lake, origin } = this.#options;
    // Equal instructions are the same task.
    const number = createHash('sha256').update(instruction).digest().readUIntBE(0, 6);
    return lake.begin({
      id: this.id,
      task: {
        ...{ id: `${captured}/train/${number}`, family: captured, split: 'train', seed: number, instruction },
        ...{ surfaces: ['screen'], screen: picture.size, stepBudget: noBudget },
      },
      ...{ policy: model, purpose: captured, seed, origin },
      startedAt: new Date().toISOString(),
      observation: seen(picture),
    });
  }

  #turn({ picture, answer, model }: CapturedCall): Turn {
    const text = textOf(answer.message);
    const format = this.#options.format ?? detectFormat(text);
    const read = format && turnFormat(format, picture.size).parse(text);
    const thought = answer.thought ?? (read?.ok ? read.thought : undefined);
    const sample = answer.sample(model, this.#before);
    const { prompt } = answer;
    const results = read?.ok ? read.notices?.map((text) => ({ kind: 'notice' as const, text })) : undefined;
    this.#before = sample && prompt ? { prompt, tokens: sample.tokens } : undefined;
    return {
      index: this.#turns,
      ...(thought !== undefined && { thought }),
      actions: read?.ok ? read.actions : [],
      text,
      ...(sample && { sample }),
      observation: { ...seen(placeholderFrame), ...(results && { results }) },
      reward: 0,
    };
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    return this.#queue.add(step);
  }
}

const seen = ({ hash, size }: Frame) => ({ screenshot: hash, size });
