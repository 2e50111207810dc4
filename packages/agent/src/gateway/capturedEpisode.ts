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
import { nothingSeen } from './nothingSeen.js';
import { toldFormat } from './toldFormat.js';

/** Family, split and purpose of what an agent did that keeps its own loop. */
export const captured = 'captured';

/** Nobody has told the gateway how many turns an agent may take. */
const noBudget = 2 ** 31 - 1;

/** A call that was answered, whole. */
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
  /** How the models print turns. Default: as far as each text tells. */
  readonly format?: TurnFormatName | undefined;
}

/**
 * An episode of calls. A turn is what the model said to one of them; what the screen showed after it is known with the next call,
 * and until then is `nothingSeen`. It begins with its first whole answer.
 */
export class CapturedEpisode {
  readonly id = `captured-${randomUUID()}`;
  readonly #options: CaptureOptions;
  #writer: EpisodeWriter | undefined;
  #turns = 0;
  /** What was sampled last. */
  #before: SampledAfter | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  get turns(): number {
    return this.#turns;
  }

  /** Resolves when the turn is safe from the death of this process. Calls at the same time are kept one after another. */
  keep(call: CapturedCall): Promise<void> {
    return this.#inOrder(async () => {
      const { lake } = this.#options;
      const { picture } = call;
      await lake.putScreenshot(picture.png, picture.hash);
      await lake.putScreenshot(nothingSeen.png, nothingSeen.hash);
      this.#writer ??= await this.#begin(call);
      if (this.#turns > 0) await this.#writer.see(seen(picture));
      await this.#writer.append(this.#turn(call));
      this.#turns++;
    });
  }

  /** Where no turn was kept there is no episode. */
  end(end: EpisodeEnd, verdict?: Verdict): Promise<void> {
    return this.#inOrder(async () => {
      await this.#writer?.finish(end, verdict);
    });
  }

  #begin({ picture, instruction, model, seed }: CapturedCall): Promise<EpisodeWriter> {
    const { lake, origin } = this.#options;
    // The same instruction is the same task.
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
    const format = this.#options.format ?? toldFormat(text);
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
      observation: { ...seen(nothingSeen), ...(results && { results }) },
      reward: 0,
    };
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    return this.#queue.add(step);
  }
}

const seen = ({ hash, size }: Frame) => ({ screenshot: hash, size });
