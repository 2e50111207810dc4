import type { PixelBox, Point, Size, TextLine } from '@gyre/protocol';
import type { Screenshot } from '../nano/nativeEngine.js';
import { type Referents, Vocabulary, vocabularyHash } from '../nano/vocabulary.js';
import { Crops } from './crops.js';
import { isFresh } from './freshTexts.js';
import { instructionTokens, maxInstructionTokens } from './instruction.js';
import { pastTokens } from './pastTokens.js';
import { pointedTexts } from './pointedTexts.js';
import { findRegions } from './regions.js';
import type { PastScene, SceneContext } from './scene.js';
import { reduced, sceneGrid } from './screenGrid.js';
import { type ScreenToken, maxScreenTokens, textTokens } from './screenTokens.js';
import { cropSide, cropWidth, firstAge, firstClock, maxClock, type TokenKind } from './sceneWidths.js';

/** A token of the decision, the instruction, the screen or the past. */
interface SceneToken {
  readonly text: string;
  readonly kind: TokenKind;
  /** Row of the table of orders. */
  readonly order: number;
  /** Row of the table of functions. */
  readonly function?: number;
  readonly unchanged?: boolean;
  /** A text on the screen that appeared by the last turn. */
  readonly fresh?: boolean;
  readonly box?: PixelBox | undefined;
  /** The size of the screen of `box`. */
  readonly size?: Size;
}

/** One decision's input, ready to be padded into a batch. */
export interface Scene {
  readonly size: Size;
  /** RGB bytes of the reduced screen. */
  readonly pixels: Uint8Array;
  readonly instruction: readonly SceneToken[];
  readonly screen: readonly SceneToken[];
  readonly past: readonly SceneToken[];
  readonly decision: SceneToken;
  /** `[screen tokens, cropWidth]`. */
  readonly crops: Uint8Array;
  readonly vocabulary: Vocabulary;
}

/** Numbers of copies: the instruction's tokens, then the screen's. */
export const firstScreenCopy = maxInstructionTokens;
export const copyCount = maxInstructionTokens + maxScreenTokens;

/** Names the tokens of turns that refer to a scene: changes with how scenes are cut. */
export const sceneVocabularyHash = `${vocabularyHash}-scene3`;

const answerWords = 24;

const reducedScreens = new WeakMap<Uint8Array, Uint8Array>();
/** By pixels and reading: screens that look the same may be read differently. */
const regionsOfScreens = new WeakMap<Uint8Array, WeakMap<readonly TextLine[], readonly PixelBox[]>>();
const noLines: readonly TextLine[] = [];

/** Turns the newest screenshot with its reading, and what is known besides, into tokens. */
export function sceneOf(screenshot: Screenshot, context: SceneContext, clock = 0): Scene {
  const { pixels, size, lines = noLines } = screenshot;
  const words: SceneToken[] = [...instructionTokens(context.instruction), ...answerTokens(context.past)]
    .slice(0, maxInstructionTokens)
    .map(({ point, ...token }, i) => ({
      ...{ ...token, order: 1 + i },
      ...(point && { size, box: { x: point.x * size.width - 2, y: point.y * size.height - 2, width: 4, height: 4 } }),
    }));
  const quoted = words.flatMap(({ text, kind }) => (kind === 'plain' ? [] : [text]));
  const texts = textTokens(lines, quoted);
  const points = words.flatMap(({ box }) => (box ? [{ x: box.x + 2, y: box.y + 2 }] : []));
  const regions = regionsOf(pixels, size, lines).map((box): ScreenToken => ({ text: '', kind: 'region', box }));
  const screen = [...texts, ...pointedTexts(lines, texts, points), ...regions].slice(0, maxScreenTokens);
  const crops = new Uint8Array(screen.length * cropWidth);
  const reduce = new Crops(pixels, size);
  for (const [i, token] of screen.entries()) reduce.write(surroundings(token), cropSide, crops, i * cropWidth);
  const before = context.past.at(-1)?.lines;
  return {
    size,
    pixels: reducedOf(pixels, size),
    instruction: words,
    screen: screen.map((token) => ({
      ...{ ...token, order: 0, size },
      fresh: before !== undefined && token.text !== '' && isFresh(token.text, token.box, before),
    })),
    past: pastTokens(context.past).map((token) => ({ ...token, order: firstAge + token.age })),
    decision: { text: '', kind: 'decision', order: firstClock + Math.min(clock, maxClock - 1) },
    crops,
    vocabulary: new Vocabulary(sceneGrid(size), referents(words, screen, size)),
  };
}

/** Returns the box of a token, for a text with what sets it apart, such as the ring of the focus. */
function surroundings({ text, box: { x, y, width, height } }: ScreenToken): PixelBox {
  const by = text === '' ? 0 : Math.min(6, Math.max(2, Math.round(0.4 * height)));
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

function reducedOf(pixels: Uint8Array, size: Size): Uint8Array {
  const known = reducedScreens.get(pixels) ?? reduced(pixels, size);
  reducedScreens.set(pixels, known);
  return known;
}

function regionsOf(pixels: Uint8Array, size: Size, lines: readonly TextLine[]): readonly PixelBox[] {
  const byReading = regionsOfScreens.get(pixels) ?? new WeakMap<readonly TextLine[], readonly PixelBox[]>();
  regionsOfScreens.set(pixels, byReading);
  const regions = byReading.get(lines) ?? findRegions(pixels, size, lines).map(({ box }) => box);
  byReading.set(lines, regions);
  return regions;
}

function answerTokens(past: readonly PastScene[]): { text: string; kind: 'answer'; point?: undefined }[] {
  const answer = past.findLast((turn) => turn.answer !== undefined)?.answer ?? '';
  const words = answer.slice(0, 2000).match(/\S+/gu) ?? [];
  return words.slice(0, answerWords).map((text) => ({ text, kind: 'answer' }));
}

function referents(words: readonly SceneToken[], screen: readonly ScreenToken[], { width, height }: Size): Referents {
  const copies = new Array<string | undefined>(copyCount).fill(undefined);
  for (const [i, { text, kind }] of words.entries()) if (kind !== 'plain') copies[i] = text;
  for (const [i, { text }] of screen.entries()) if (text !== '') copies[firstScreenCopy + i] = text;
  const share = (px: number, side: number): number => Math.min(Math.max(px, 0.5), side - 0.5) / side;
  const targets = screen.map(({ box }): Point => ({
    x: share(box.x + box.width / 2, width),
    y: share(box.y + box.height / 2, height),
  }));
  return { copies, targets };
}
