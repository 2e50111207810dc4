import { optionalUrl, optionalWord } from './flag.js';

const example = 'http://127.0.0.1:8000';

/** Declares where a model is trained and sampled, with what a command does there. */
export function serverFlags(uses: Readonly<Record<'engine' | 'sampler' | 'model', string>>) {
  return {
    engine: optionalUrl(uses.engine, { example }),
    sampler: optionalUrl(uses.sampler, { example: 'http://127.0.0.1:8001/v1' }),
    model: optionalWord(uses.model, { example: 'ByteDance-Seed/UI-TARS-1.5-7B' }),
  };
}

export const criticEngineFlag = {
  ...optionalUrl("a second server of Tinker's API, for a critic that answers yes or no", { example }),
  heading: 'Served policy:',
};
