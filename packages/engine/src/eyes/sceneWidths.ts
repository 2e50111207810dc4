import { actionTypes } from '@gyre/protocol';
import { maxInstructionTokens } from './instruction.js';
import { rememberedTurns } from './pastTokens.js';
import { quantityWidth } from './quantities.js';

export const tokenKinds = [
  'none',
  'decision',
  'plain',
  'quoted',
  'quotedWord',
  'name',
  'answer',
  'line',
  'piece',
  'span',
  'region',
  'past',
  'pastRow',
] as const;
export type TokenKind = (typeof tokenKinds)[number];
export const kindRows = tokenKinds.length;

export const maxClock = 40;
export const firstAge = 1 + maxInstructionTokens;
export const firstClock = firstAge + rememberedTurns + 1;
/** Places in the instruction, ages of turns, and the turn's number. */
export const orderRows = firstClock + maxClock;

/** None, each type of screen action, and commands. */
export const functionRows = actionTypes.length + 2;

export const cropSide = 12;
export const cropWidth = cropSide * cropSide * 3;

/** Quantities, whether the screen stayed the same, and whether a text is fresh. */
export const traitWidth = quantityWidth + 2;

export const boxWaves = 6;
/** Left, top, right and bottom with sines and cosines of their octaves; then width and height in px. */
export const boxWidth = 4 * (1 + 2 * boxWaves) + 2;
