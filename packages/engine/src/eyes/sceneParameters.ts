import type { ParameterSpec } from '../runtime/parameters.js';
import { placeWidth } from '../nano/grid.js';
import { textSize } from '../nano/vocabulary.js';
import type { SceneArchitecture } from './architecture.js';
import { biasPlanes, matchWidth } from './relations.js';
import { boxWidth, cropWidth, functionRows, kindRows, orderRows, traitWidth } from './sceneWidths.js';
import { patchWidth } from './stem.js';
import { stringWidth, wordRows } from './strings.js';

/** Later steps of a turn share the last row. */
export const positionRows = 40;

/** Attending to cells costs as much as to tokens, so one layer does it for all. */
export const seesCells = (layer: number): boolean => layer === 1;

/** Parameters of the pixels start with `image.`. */
export function sceneParameters(architecture: SceneArchitecture): ParameterSpec[] {
  const { width: d, heads, layers, decoderLayers, cellLayers, stem, role } = architecture;
  const specs: ParameterSpec[] = [];
  const matrix = (name: string, from: number, to: number, scale = 1): void => {
    specs.push({ name: `${name}.w`, shape: [from, to], init: { normal: scale / Math.sqrt(from) } });
    specs.push({ name: `${name}.b`, shape: [to], init: 'zeros' });
  };
  const norm = (name: string): void => {
    specs.push({ name: `${name}.norm.g`, shape: [d], init: 'ones' });
    specs.push({ name: `${name}.norm.b`, shape: [d], init: 'zeros' });
  };
  const table = (name: string, rows: number, deviation: number): void => {
    specs.push({ name, shape: [rows, d], init: { normal: deviation } });
  };
  const feedForward = (name: string, inner: number): void => {
    norm(`${name}.ff`);
    matrix(`${name}.up`, d, inner, 1.4);
    matrix(`${name}.down`, inner, d, 0.5);
  };
  // A string's vector has norm 1, whatever its length.
  specs.push({ name: 'string.w', shape: [stringWidth, d], init: { normal: 0.3 } });
  table('word', wordRows, 0.3);
  norm('string');
  table('kind', kindRows, 0.3);
  table('order', orderRows, 0.3);
  table('function', functionRows, 0.3);
  matrix('traits', traitWidth, d);
  matrix('box', boxWidth, d, 0.7);
  matrix('match', matchWidth, d);
  matrix('crop.in', cropWidth, 0.75 * d, 1.4);
  matrix('crop.out', 0.75 * d, d);
  matrix('look', stem, d);
  matrix('image.patch', patchWidth, stem / 2, 1.4);
  matrix('image.merge', 2 * stem, stem, 1.4);
  matrix('image.down', 4 * stem, d, 1.4);
  matrix('image.wide', 5 * d, d);
  for (let l = 0; l < cellLayers; l++) {
    norm(`image.${l}`);
    matrix(`image.${l}.in`, 5 * d, d / 2, 1.4);
    matrix(`image.${l}.out`, d / 2, d, 0.5);
  }
  norm('image');
  matrix('image.place', placeWidth, d, 0.5);
  specs.push({ name: 'bias.w', shape: [layers * heads, biasPlanes], init: { normal: 0.2 } });
  for (let l = 0; l < layers; l++) {
    norm(`encoder.${l}`);
    for (const part of ['q', 'k', 'v']) matrix(`encoder.${l}.${part}`, d, d);
    if (seesCells(l)) for (const part of ['imageK', 'imageV']) matrix(`encoder.${l}.${part}`, d, d);
    matrix(`encoder.${l}.o`, d, d, 0.5);
    feedForward(`encoder.${l}`, 2 * d);
  }
  norm('encoder');
  table('token', textSize, 0.3);
  matrix('referred', d, d);
  table('position', positionRows, 0.3);
  for (let l = 0; l < decoderLayers; l++) {
    norm(`decoder.${l}`);
    for (const part of ['q', 'k', 'v']) matrix(`decoder.${l}.${part}`, d, d);
    for (const part of ['sceneK', 'sceneV']) matrix(`decoder.${l}.${part}`, d, d);
    matrix(`decoder.${l}.o`, d, d, 0.5);
    feedForward(`decoder.${l}`, 2 * d);
  }
  norm('decoder');
  if (role === 'critic') {
    matrix('value', d, 1, 0.1);
    return specs;
  }
  matrix('logits', d, textSize, 0.5);
  for (const name of ['target', 'copy', 'cell']) {
    matrix(`${name}.q`, d, d);
    matrix(`${name}.bias`, d, 1, 0.5);
  }
  for (const name of ['target', 'copy', 'cell.wide']) matrix(`${name}.k`, d, d);
  matrix('cell.near.k', stem, d);
  matrix('cell.place.k', placeWidth, d, 0.5);
  return specs;
}
