import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import type { GroundingSample, Target } from './sample.js';

const Picture = z
  .string()
  .min(1)
  .refine((name) => !isAbsolute(name) && !name.split(/[\\/]/).includes('..'), { error: 'must be below the pictures' });
const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const Sides = z.tuple([z.number().positive(), z.number().positive()]);
const UiType = z.enum(['text', 'icon']);

/** ScreenSpot-Pro: `bbox` is left, top, right, bottom. */
const ProSample = z.looseObject({
  id: z.string().min(1),
  img_filename: Picture,
  bbox: Box,
  img_size: Sides,
  instruction: z.string().min(1),
  ui_type: UiType,
  platform: z.string(),
  application: z.string(),
  group: z.string().optional(),
});

/** ScreenSpot and ScreenSpot-v2: `bbox` is left, top, width, height. */
const V2Sample = z.looseObject({
  img_filename: Picture,
  bbox: Box,
  instruction: z.string().min(1),
  data_type: UiType,
  data_source: z.string(),
});

/** OSWorld-G: a box is left, top, width, height; a polygon x, y, x, y, ... */
const OsworldSample = z.looseObject({
  id: z.string().min(1),
  image_path: Picture,
  image_size: Sides,
  instruction: z.string().min(1),
  box_type: z.enum(['bbox', 'polygon', 'refusal']),
  box_coordinates: z.array(z.number()),
});

/** OSWorld-G's `classification_result.json`. */
const Classification = z.looseObject({
  classified: z.record(z.string(), z.array(z.looseObject({ id: z.string() }))),
});

interface AnnotationFile {
  readonly path: string;
  readonly read: (folder: string, path: string) => Promise<GroundingSample[]>;
}

const v2Name = /^screenspot_(desktop|mobile|web)(_v2)?\.json$/;
const osworldName = /^OSWorld-G(_refined)?\.json$/;

/**
 * Reads the samples of ScreenSpot-Pro, ScreenSpot, ScreenSpot-v2 or OSWorld-G.
 *
 * @param place the folder of a set, or one of its annotation files
 * @throws GyreError `bad_input` for another place, or an annotation that does not fit, by its field
 */
export async function readGroundingSamples(place: string): Promise<GroundingSample[]> {
  const files = await annotationFiles(resolve(place));
  if (files.length === 0) throw notSet(`${place} has no annotations of a known set`);
  const samples: GroundingSample[] = [];
  for (const { path, read } of files) samples.push(...(await read(dirname(path), path)));
  return samples;
}

async function annotationFiles(place: string): Promise<AnnotationFile[]> {
  const info = await stat(place).catch((cause: unknown) => {
    throw notSet(`${place} cannot be read`, cause);
  });
  if (info.isFile()) return [fileOf(place)];
  const names = (await readdir(place)).sort();
  if (names.includes('annotations')) {
    const annotations = join(place, 'annotations');
    const pro = (await readdir(annotations)).filter((name) => name.endsWith('.json')).sort();
    return pro.map((name) => fileOf(join(annotations, name)));
  }
  const v2 = names.filter((name) => v2Name.test(name));
  const osworld = names.filter((name) => name === 'OSWorld-G.json');
  return [...v2, ...osworld].map((name) => fileOf(join(place, name)));
}

function fileOf(path: string): AnnotationFile {
  const name = basename(path);
  if (v2Name.test(name)) return { path, read: readV2 };
  if (osworldName.test(name)) return { path, read: readOsworld };
  return { path, read: readPro };
}

const fileName = (path: string) => basename(path, '.json');

async function readPro(folder: string, path: string): Promise<GroundingSample[]> {
  const pictures = join(dirname(folder), 'images');
  return (await readJson(path, z.array(ProSample))).map((sample) => ({
    ...{ id: sample.id, file: fileName(path), picture: join(pictures, sample.img_filename) },
    ...{ size: { width: sample.img_size[0], height: sample.img_size[1] }, instruction: sample.instruction },
    target: { kind: 'box', box: sample.bbox },
    ...{ uiType: sample.ui_type, platform: sample.platform, application: sample.application },
    groups: sample.group === undefined ? [] : [sample.group],
  }));
}

async function readV2(folder: string, path: string): Promise<GroundingSample[]> {
  const [, group = '', version] = v2Name.exec(basename(path)) ?? [];
  const pictures = join(folder, version === undefined ? 'screenspot_imgs' : 'screenspotv2_image');
  return (await readJson(path, z.array(V2Sample))).map((sample, index) => ({
    ...{ id: `${fileName(path)}_${index}`, file: fileName(path), picture: join(pictures, sample.img_filename) },
    ...{ instruction: sample.instruction, target: boxOf(sample.bbox) },
    ...{ uiType: sample.data_type, platform: sample.data_source, groups: [group] },
  }));
}

async function readOsworld(folder: string, path: string): Promise<GroundingSample[]> {
  const groups = new Map<string, string[]>();
  const classes = await readJson(join(folder, 'classification_result.json'), Classification.optional(), undefined);
  for (const [group, members] of Object.entries(classes?.classified ?? {}))
    for (const { id } of members) groups.set(id, [...(groups.get(id) ?? []), group]);
  return (await readJson(path, z.array(OsworldSample))).map((sample, index) => ({
    ...{ id: sample.id, file: fileName(path), picture: join(folder, 'images', sample.image_path) },
    ...{ size: { width: sample.image_size[0], height: sample.image_size[1] }, instruction: sample.instruction },
    target: osworldTarget(sample, `${index}.box_coordinates`, path),
    groups: [...new Set(groups.get(sample.id) ?? [])],
  }));
}

function osworldTarget(
  { box_type: type, box_coordinates: numbers }: z.infer<typeof OsworldSample>,
  field: string,
  path: string,
): Target {
  if (type === 'refusal') return { kind: 'refusal' };
  if (type === 'bbox') {
    const box = Box.safeParse(numbers);
    if (box.success) return boxOf(box.data);
    throw notSet(`${path} has an invalid ${field}: must be four numbers`);
  }
  if (numbers.length < 6 || numbers.length % 2 === 1)
    throw notSet(`${path} has an invalid ${field}: must be three points or more`);
  const corners = Array.from({ length: numbers.length / 2 }, (_, i) => ({
    x: numbers[2 * i]!,
    y: numbers[2 * i + 1]!,
  }));
  return { kind: 'polygon', corners };
}

const boxOf = ([x, y, width, height]: readonly [number, number, number, number]): Target => ({
  kind: 'box',
  box: [x, y, x + width, y + height],
});

/** @param absent returned for a file that is not there; without it, `bad_input` is thrown */
async function readJson<T>(path: string, schema: z.ZodType<T>, ...absent: readonly [T] | readonly []): Promise<T> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (absent.length === 1 && (cause as NodeJS.ErrnoException).code === 'ENOENT') return absent[0];
    throw notSet(`${path} cannot be read`, cause);
  }
  return parseAnnotations(text, schema, path);
}

function parseAnnotations<T>(text: string, schema: z.ZodType<T>, path: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw notSet(`${path} is not JSON`, cause);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw notSet(`${path} has an invalid ${issue?.path.join('.') || 'list'}: ${issue?.message}`, parsed.error);
}

const notSet = (problem: string, cause?: unknown) =>
  new GyreError('bad_input', problem, {
    field: '--screenspot',
    fix: 'name the folder of ScreenSpot-Pro, ScreenSpot-v2 or OSWorld-G, with annotations and pictures',
    cause,
  });
