/** CSS colours of a screen; `page` may be a gradient. */
export interface Theme {
  readonly name: string;
  readonly page: string;
  readonly card: string;
  readonly line: string;
  readonly text: string;
  readonly muted: string;
  readonly soft: string;
  readonly accent: string;
  readonly onAccent: string;
  readonly shadow: string;
  readonly radius: number;
}

const light = '0 1px 2px rgba(16,24,40,.10), 0 3px 8px rgba(16,24,40,.08)';
const dark = '0 2px 8px rgba(0,0,0,.45)';

export const themes: readonly Theme[] = [
  {
    name: 'paper',
    page: '#eef1f6',
    card: '#ffffff',
    line: '#d5dae3',
    text: '#1d2433',
    muted: '#76829a',
    soft: '#f3f5f9',
    accent: '#2f62d9',
    onAccent: '#ffffff',
    shadow: light,
    radius: 6,
  },
  {
    name: 'ocean',
    page: 'linear-gradient(160deg,#cfe6f5,#a9cfe8)',
    card: '#fbfdff',
    line: '#bcd6e6',
    text: '#0e2f44',
    muted: '#5f849b',
    soft: '#e8f3fa',
    accent: '#0b6e99',
    onAccent: '#ffffff',
    shadow: light,
    radius: 8,
  },
  {
    name: 'mint',
    page: 'linear-gradient(160deg,#e3f5ec,#c6e8d8)',
    card: '#ffffff',
    line: '#c3dfd1',
    text: '#123527',
    muted: '#5f8b78',
    soft: '#edf8f2',
    accent: '#1b7a55',
    onAccent: '#ffffff',
    shadow: light,
    radius: 10,
  },
  {
    name: 'rose',
    page: 'linear-gradient(160deg,#fdeaf0,#f7d3df)',
    card: '#fffdfd',
    line: '#ecc9d5',
    text: '#43141f',
    muted: '#9d6d7c',
    soft: '#fdf1f5',
    accent: '#b3295c',
    onAccent: '#ffffff',
    shadow: light,
    radius: 10,
  },
  {
    name: 'sand',
    page: '#ece3d2',
    card: '#fdfaf3',
    line: '#d8cab0',
    text: '#3a2c17',
    muted: '#8a7650',
    soft: '#f5eedf',
    accent: '#8a5a1c',
    onAccent: '#ffffff',
    shadow: light,
    radius: 4,
  },
  {
    name: 'lilac',
    page: 'linear-gradient(160deg,#ece8fb,#d8d0f5)',
    card: '#ffffff',
    line: '#d3caee',
    text: '#261a4d',
    muted: '#7d70a6',
    soft: '#f4f1fd',
    accent: '#5b3cc4',
    onAccent: '#ffffff',
    shadow: light,
    radius: 8,
  },
  {
    name: 'slate',
    page: '#1d232e',
    card: '#2a3240',
    line: '#434e61',
    text: '#eef2f8',
    muted: '#8f9bb0',
    soft: '#353f50',
    accent: '#4f8cf7',
    onAccent: '#ffffff',
    shadow: dark,
    radius: 6,
  },
  {
    name: 'night',
    page: 'linear-gradient(160deg,#171233,#0d1022)',
    card: '#211c3d',
    line: '#3d3566',
    text: '#f1eeff',
    muted: '#958dc2',
    soft: '#2c2650',
    accent: '#8b6cf5',
    onAccent: '#ffffff',
    shadow: dark,
    radius: 8,
  },
];

/** Distinguishable named colours. `on` is the text colour on top. */
export const colours = {
  red: { fill: '#dc3a34', on: '#ffffff' },
  orange: { fill: '#f28a1c', on: '#2b1600' },
  yellow: { fill: '#f4cf28', on: '#2e2600' },
  green: { fill: '#2f9e44', on: '#ffffff' },
  teal: { fill: '#17b3b0', on: '#00211f' },
  blue: { fill: '#2a63e0', on: '#ffffff' },
  purple: { fill: '#8438cf', on: '#ffffff' },
  pink: { fill: '#f37ab8', on: '#36001c' },
} as const;
export type Colour = keyof typeof colours;
export const colourNames = Object.keys(colours) as readonly Colour[];
