import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

export const configFile = 'adapter_config.json';
export const weightsFile = 'adapter_model.safetensors';

const Names = z.union([z.string(), z.array(z.string())]).nullish();
const Pattern = z.record(z.string(), z.number()).nullish();

/** The part of PEFT's `LoraConfig` that determines an adapter's update. Other keys are kept. */
const AdapterConfig = z.looseObject({
  peft_type: z.literal('LORA'),
  base_model_name_or_path: z.string().min(1).nullish(),
  revision: z.string().nullish(),
  r: z.int().positive(),
  lora_alpha: z.number(),
  use_rslora: z.boolean().nullish(),
  target_modules: Names,
  exclude_modules: Names,
  rank_pattern: Pattern,
  alpha_pattern: Pattern,
});
export type AdapterConfig = z.output<typeof AdapterConfig>;

/** @throws GyreError `missing` without the file; `corrupt` for one that describes no LoRA adapter */
export async function readAdapterConfig(folder: string): Promise<AdapterConfig> {
  const path = join(folder, configFile);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new GyreError('missing', `${folder} holds no adapter: cannot read ${path}`, {
      ...{ field: path, cause },
      fix: `name a folder with ${configFile} and ${weightsFile}`,
    });
  });
  try {
    return AdapterConfig.parse(JSON.parse(text));
  } catch (cause) {
    const issue = cause instanceof z.ZodError ? cause.issues[0] : undefined;
    const place = issue ? `: ${issue.path.join('.')}: ${issue.message}` : '';
    throw new GyreError('corrupt', `${path} describes no LoRA adapter of PEFT${place}`, {
      ...{ field: path, cause },
      fix: 'write the adapter again, with PEFT or the server that trained it',
    });
  }
}
