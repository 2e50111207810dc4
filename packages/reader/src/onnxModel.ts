import { onnxRuntime } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

type Runtime = ReturnType<typeof onnxRuntime>;
type Session = Awaited<ReturnType<Runtime['InferenceSession']['create']>>;

export interface FloatTensor {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** A pretrained ONNX model with one float input and one float output. Runs on the CPU. */
export class OnnxModel {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  /** @throws GyreError 'bad_input' if the file is no such model. */
  static async open(file: string, threads: number): Promise<OnnxModel> {
    const { InferenceSession } = onnxRuntime();
    let session: Session;
    try {
      session = await InferenceSession.create(file, {
        executionProviders: ['cpu'],
        graphOptimizationLevel: 'all',
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        // Every crop has another width, and a plan would be made for each.
        enableMemPattern: false,
        // Run errors are thrown; logging would print them twice.
        logSeverityLevel: 4,
        extra: { session: { intra_op: { allow_spinning: '0' } } },
      });
    } catch (cause) {
      throw malformed(file, (cause as Error).message, cause);
    }
    const { inputNames, outputNames } = session;
    if (inputNames.length === 1 && outputNames.length === 1) return new OnnxModel(session);
    await session.release();
    throw malformed(file, `it has ${inputNames.length} inputs and ${outputNames.length} outputs, not one of each`);
  }

  /** Sizes of the output; undefined where they depend on the input. */
  get outputShape(): (number | undefined)[] {
    const [output] = this.#session.outputMetadata;
    if (output?.isTensor !== true) return [];
    return output.shape.map((size) => (typeof size === 'number' ? size : undefined));
  }

  async run({ data, shape }: FloatTensor): Promise<FloatTensor> {
    const { Tensor } = onnxRuntime();
    const { inputNames, outputNames } = this.#session;
    const outputs = await this.#session.run({ [inputNames[0]!]: new Tensor('float32', data, shape) });
    const output = outputs[outputNames[0]!]!;
    return { data: output.data as Float32Array, shape: output.dims };
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}

function malformed(file: string, reason: string, cause?: unknown): GyreError {
  return new GyreError('bad_input', `${file} is not a usable ONNX model: ${reason}`, {
    field: 'folder',
    fix: 'copy the models again',
    cause,
  });
}
