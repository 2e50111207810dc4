import type { PixelBox, Size } from '@gyre/protocol';
import { quantitiesOf, quantityNames, quantityWidth, writeQuantities } from './quantities.js';
import type { Scene } from './sceneTokens.js';
import { boxWaves, boxWidth, cropWidth, type TokenKind, tokenKinds, traitWidth } from './sceneWidths.js';
import { reducedSize, reductionOf } from './screenGrid.js';
import { stringVector, stringWidth, wordRow } from './strings.js';

/** Numbers of tokens to which a batch is padded. */
export interface SceneLengths {
  readonly instruction: number;
  readonly screen: number;
  readonly past: number;
}

/** Counts the decision, too. */
export const tokensIn = ({ instruction, screen, past }: SceneLengths): number => 1 + instruction + screen + past;

/**
 * Masks scores in float32. Larger magnitudes make gradient products denormal, on which processors are many times slower.
 */
export const blocked = -30;

export type SceneFeeds = ReturnType<typeof emptyFeeds>;

function emptyFeeds(n: number, lengths: SceneLengths, size: Size) {
  const tokens = n * tokensIn(lengths);
  const { width, height } = reducedSize(size);
  return {
    strings: new Float32Array(tokens * stringWidth),
    words: new Int32Array(tokens),
    kinds: new Int32Array(tokens),
    orders: new Int32Array(tokens),
    functions: new Int32Array(tokens),
    traits: new Float32Array(tokens * traitWidth),
    values: new Float32Array(tokens * quantityNames.length),
    known: new Float32Array(tokens * quantityNames.length),
    places: new Float32Array(tokens),
    boxes: new Float32Array(tokens * 4),
    placed: new Float32Array(tokens),
    boxFeatures: new Float32Array(tokens * boxWidth),
    quoted: new Float32Array(2 * tokens).fill(-9),
    blocked: new Float32Array(tokens).fill(blocked),
    crops: new Uint8Array(n * lengths.screen * cropWidth),
    looks: new Int32Array(n * lengths.screen),
    pixels: new Uint8Array(n * width * height * 3),
  };
}

/** Pads scenes of one screen size into the inputs of a graph. Missing ones are blank. */
export function sceneFeeds(scenes: readonly (Scene | undefined)[], lengths: SceneLengths, size: Size): SceneFeeds {
  const feeds = emptyFeeds(scenes.length, lengths, size);
  const { width, height } = reducedSize(size);
  const near = { columns: width / 8, rows: height / 8, side: 8 * reductionOf(size) };
  for (const [index, scene] of scenes.entries()) {
    const first = index * tokensIn(lengths);
    // Attention needs at least one token.
    feeds.blocked[first] = 0;
    if (!scene) continue;
    feeds.pixels.set(scene.pixels, index * scene.pixels.length);
    feeds.crops.set(scene.crops, index * lengths.screen * cropWidth);
    const screenFrom = first + 1 + lengths.instruction;
    const groups: [number, Scene['screen']][] = [
      [first, [scene.decision]],
      [first + 1, scene.instruction],
      [screenFrom, scene.screen],
      [screenFrom + lengths.screen, scene.past],
    ];
    for (const [from, tokens] of groups) {
      for (const [i, token] of tokens.entries()) writeToken(feeds, from + i, token);
    }
    for (const [i, { kind }] of scene.instruction.entries()) {
      const row = kind === 'name' ? 0 : ['quoted', 'quotedWord'].indexOf(kind);
      if (row >= 0) feeds.quoted[(2 * index + row) * tokensIn(lengths) + 1 + i] = 0;
    }
    for (const [i, { box }] of scene.screen.entries()) {
      if (!box) continue;
      const within = (px: number, count: number): number =>
        Math.min(count - 1, Math.max(0, Math.floor(px / near.side)));
      const row = within(box.y + box.height / 2, near.rows);
      const column = within(box.x + box.width / 2, near.columns);
      feeds.looks[index * lengths.screen + i] = (index * near.rows + row) * near.columns + column;
    }
  }
  return feeds;
}

const instructionKinds: ReadonlySet<TokenKind> = new Set(['plain', 'quoted', 'quotedWord', 'name', 'answer']);

function writeToken(feeds: SceneFeeds, slot: number, token: Scene['decision']): void {
  const { text, kind, order, unchanged = false, fresh = false, box, size } = token;
  feeds.blocked[slot] = 0;
  feeds.kinds[slot] = tokenKinds.indexOf(kind);
  feeds.orders[slot] = order;
  feeds.functions[slot] = token.function ?? 0;
  const isInstruction = instructionKinds.has(kind);
  feeds.places[slot] = isInstruction ? order : 1e3 * (1 + slot);
  feeds.traits[slot * traitWidth + quantityWidth] = unchanged ? 1 : 0;
  feeds.traits[slot * traitWidth + quantityWidth + 1] = fresh ? 1 : 0;
  if (text !== '') writeText(feeds, slot, text);
  if (box && size) writeBox(feeds, slot, box, size);
}

function writeText(feeds: SceneFeeds, slot: number, text: string): void {
  feeds.strings.set(stringVector(text), slot * stringWidth);
  feeds.words[slot] = wordRow(text);
  const quantities = quantitiesOf(text);
  writeQuantities(quantities, feeds.traits, slot * traitWidth);
  for (const [i, name] of quantityNames.entries()) {
    const value = quantities[name];
    if (value === undefined) continue;
    feeds.values[slot * quantityNames.length + i] = value;
    feeds.known[slot * quantityNames.length + i] = 1;
  }
}

function writeBox(feeds: SceneFeeds, slot: number, { x, y, width, height }: PixelBox, size: Size): void {
  feeds.placed[slot] = 1;
  const sides = [x / size.width, y / size.height, (x + width) / size.width, (y + height) / size.height];
  const elongation = size.height / size.width;
  for (const [i, share] of sides.entries()) {
    feeds.boxes[slot * 4 + i] = i % 2 === 0 ? share : share * elongation;
    let to = slot * boxWidth + i * (1 + 2 * boxWaves);
    feeds.boxFeatures[to++] = share;
    for (let wave = 0; wave < boxWaves; wave++) {
      const angle = Math.PI * share * 2 ** wave;
      feeds.boxFeatures[to++] = Math.sin(angle);
      feeds.boxFeatures[to++] = Math.cos(angle);
    }
  }
  const end = (slot + 1) * boxWidth;
  feeds.boxFeatures[end - 2] = Math.min(2, width / 64);
  feeds.boxFeatures[end - 1] = Math.min(2, height / 32);
}
