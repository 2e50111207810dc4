import type { LineRecogniser, RecognisedLine } from '../lineReader.js';
import { OnnxModel } from '../onnxModel.js';
import type { Screen } from '../reader.js';
import { decodeCtc } from './ctc.js';
import { paddleCharacters, type PaddleModels } from './paddleModels.js';
import { cubic, resize } from './resize.js';

const lineHeight = 48;
const narrowest = 16;
const largestBatch = 8;
/** Padding of a batch's narrowest line, as a share of its width or in px. */
const largestPadding = { share: 0.35, px: 24 };

/** Recognises lines by PP-OCR's CTC recogniser. */
export class PaddleRecogniser implements LineRecogniser {
  readonly #model: OnnxModel;
  readonly #characters: readonly string[];

  private constructor(model: OnnxModel, characters: readonly string[]) {
    this.#model = model;
    this.#characters = characters;
  }

  static async open(models: PaddleModels, { threads }: { threads: number }): Promise<PaddleRecogniser> {
    const model = await OnnxModel.open(models.recogniser, threads);
    try {
      return new PaddleRecogniser(model, await paddleCharacters(models, model.outputShape[2]));
    } catch (error) {
      await model.release();
      throw error;
    }
  }

  async recognise(crops: readonly Screen[]): Promise<RecognisedLine[]> {
    const lines = new Array<RecognisedLine>(crops.length);
    const order = crops.map((crop, index) => ({ crop, index, width: networkWidth(crop) }));
    order.sort((a, b) => a.width - b.width);
    while (order.length > 0) {
      const narrow = order[0]!.width;
      const widest = Math.max(narrow * (1 + largestPadding.share), narrow + largestPadding.px);
      const wider = order.findIndex(({ width }) => width > widest);
      const batch = order.splice(0, Math.min(largestBatch, wider < 0 ? order.length : wider));
      const recognised = await this.#recogniseBatch(batch);
      batch.forEach(({ index }, row) => (lines[index] = recognised[row]!));
    }
    return lines;
  }

  close(): Promise<void> {
    return this.#model.release();
  }

  /** @param batch from narrow to wide. */
  async #recogniseBatch(batch: readonly { crop: Screen; width: number }[]): Promise<RecognisedLine[]> {
    const width = Math.ceil(batch.at(-1)!.width / 8) * 8;
    const input = new Float32Array(batch.length * 3 * lineHeight * width);
    batch.forEach((line, row) => writeLine(input, row, width, line));
    const { data, shape } = await this.#model.run({ data: input, shape: [batch.length, 3, lineHeight, width] });
    const steps = shape[1]!;
    const stride = steps * this.#characters.length;
    return batch.map(({ crop, width: lineWidth }, row) => {
      const { text, positions } = decodeCtc(data.subarray(row * stride, (row + 1) * stride), this.#characters);
      const scale = (width / steps) * (crop.size.width / lineWidth);
      return { text, centres: positions.map((position) => Math.min(position * scale, crop.size.width)) };
    });
  }
}

function networkWidth({ size }: Screen): number {
  return Math.max(narrowest, Math.round((lineHeight * size.width) / size.height));
}

/** Writes one line as `[3, height, width]` in BGR, -1..1; the rest of its row stays 0. */
function writeLine(
  input: Float32Array,
  row: number,
  width: number,
  { crop, width: lineWidth }: { crop: Screen; width: number },
): void {
  const line = resize(crop, lineWidth, lineHeight, cubic);
  for (let channel = 0; channel < 3; channel++) {
    for (let y = 0; y < lineHeight; y++) {
      const out = ((row * 3 + channel) * lineHeight + y) * width;
      for (let x = 0; x < lineWidth; x++) {
        const value = line[(y * lineWidth + x) * 3 + 2 - channel]!;
        // The cubic kernel overshoots at edges.
        input[out + x] = Math.min(Math.max(value, 0), 255) / 127.5 - 1;
      }
    }
  }
}
