import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Engine } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { writeWhole } from '../flywheel/journal.js';

/** Names weights that a server stores. */
const Checkpoint = z.strictObject({
  version: z.literal(1),
  model: z.string().min(1),
  path: z.string().min(1),
  policyVersion: z.int().nonnegative(),
});

const unsafe = /[^\w-]+/g;

/** Saves weights and optimiser at the server, and their name in a file. */
export async function saveServed(engine: Engine, file: string): Promise<void> {
  // Never reuses a name: a crash before the file is replaced must not change what it names.
  const name = `${basename(file).replace(unsafe, '-')}-${Date.now().toString(36)}`;
  const { path, policyVersion } = await engine.save(name);
  const checkpoint: z.infer<typeof Checkpoint> = { version: 1, model: engine.traits.model, path, policyVersion };
  await writeWhole(file, JSON.stringify(checkpoint, null, 2));
}

/**
 * Loads weights into a new model at the server.
 *
 * @param source a file of `saveServed`, or a path `tinker://...`
 * @throws GyreError `bad_input` for another model's file; `corrupt`; those of the engine
 */
export async function loadServed(engine: Engine, source: string, options?: { optimiser?: boolean }): Promise<void> {
  if (source.startsWith('tinker://')) return engine.load(source, options);
  const { model, path, policyVersion } = await readCheckpoint(source);
  if (model !== engine.traits.model) {
    throw new GyreError('bad_input', `${source} holds weights of ${model}, not of ${engine.traits.model}`, {
      field: 'model',
      fix: `train ${model}, or start from other weights`,
    });
  }
  return engine.load(path, { ...options, policyVersion });
}

async function readCheckpoint(file: string): Promise<z.infer<typeof Checkpoint>> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new GyreError('bad_input', `cannot read ${file}`, {
      field: file,
      fix: 'name a checkpoint of a served policy (.json), or tinker://MODEL/weights/NAME',
      cause,
    });
  });
  try {
    return Checkpoint.parse(JSON.parse(text));
  } catch (cause) {
    throw new GyreError('corrupt', `${file} names no weights of a served policy`, {
      field: file,
      fix: 'name a checkpoint that training on a server wrote, or tinker://MODEL/weights/NAME',
      cause,
    });
  }
}
