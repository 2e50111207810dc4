import type { Split } from '@gyre/protocol';
import type { Palette } from '../game.js';

const bright = ['#e5484d', '#f2a20c', '#3aa655', '#2f7de1', '#8e4ec6', '#12a594', '#d6409f', '#8a5a2b'];
const soft = ['#f07178', '#f7c04a', '#7bc86c', '#5aa9f2', '#a98be8', '#45c7b8', '#f08bc0', '#b98a5e'];
const vivid = ['#ff5c5c', '#ffc53d', '#46d369', '#4da3ff', '#b07cff', '#2bd9c4', '#ff74c3', '#d99a5b'];

const train: readonly Palette[] = [
  {
    name: 'linen',
    sky: ['#fbf7ef', '#f1e8d8'],
    board: '#cdbfa9',
    hole: '#ded2bf',
    text: '#4d4232',
    muted: '#8d7f69',
    accent: '#c2501e',
    onAccent: '#ffffff',
    pieces: bright,
  },
  {
    name: 'lagoon',
    sky: ['#e6f6fb', '#bfe3ef'],
    board: '#2f6f8f',
    hole: '#3f86a8',
    text: '#12364a',
    muted: '#4d7c93',
    accent: '#e4572e',
    onAccent: '#ffffff',
    pieces: soft,
  },
  {
    name: 'meadow',
    sky: ['#f0f8e4', '#d3e8b9'],
    board: '#557a3c',
    hole: '#6b9250',
    text: '#2a3f1c',
    muted: '#64804e',
    accent: '#d1495b',
    onAccent: '#ffffff',
    pieces: soft,
  },
  {
    name: 'slate',
    sky: ['#2b3245', '#1c2130'],
    board: '#3b4560',
    hole: '#2d364d',
    text: '#eef1f8',
    muted: '#97a3bf',
    accent: '#ffb454',
    onAccent: '#2b1c00',
    pieces: vivid,
  },
  {
    name: 'plum',
    sky: ['#3a2342', '#24152c'],
    board: '#55365f',
    hole: '#432a4c',
    text: '#f8eefb',
    muted: '#bb9cc4',
    accent: '#f6c445',
    onAccent: '#332300',
    pieces: vivid,
  },
];

const dev: readonly Palette[] = [
  {
    name: 'sand',
    sky: ['#fff4dc', '#f6dfb2'],
    board: '#a9743d',
    hole: '#bd8a53',
    text: '#4a2f12',
    muted: '#91693c',
    accent: '#1f7a8c',
    onAccent: '#ffffff',
    pieces: bright,
  },
];

const test: readonly Palette[] = [
  {
    name: 'harbour',
    sky: ['#123247', '#0b2233'],
    board: '#1f4d68',
    hole: '#183e55',
    text: '#e8f5fb',
    muted: '#8fb8cc',
    accent: '#ff8a5b',
    onAccent: '#33130a',
    pieces: vivid,
  },
  {
    name: 'porcelain',
    sky: ['#f7f9fd', '#e3e9f5'],
    board: '#7b8db3',
    hole: '#98a8c9',
    text: '#22304d',
    muted: '#6b7a9c',
    accent: '#c42f6b',
    onAccent: '#ffffff',
    pieces: bright,
  },
];

/** No two splits share a palette. */
export const palettes: Readonly<Record<Split, readonly Palette[]>> = { train, dev, test };
