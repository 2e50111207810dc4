import { icons } from '../../family/screen/icons.js';

const disc = (x: number, y: number, radius: number): string =>
  `M${x} ${y - radius}a${radius} ${radius} 0 1 0 0 ${2 * radius}a${radius} ${radius} 0 1 0 0 ${-2 * radius}z`;

/** Paths in a 24 x 24 view box. */
const more = {
  archive: 'M3 4h18v4.5H3zM5 8.5V20h14V8.5M9.5 12.5h5',
  inbox: 'M3 13l3-8h12l3 8v6.5H3zM3 13h5.5l1.5 3h4l1.5-3H21',
  send: 'M21 3L3 10.5l7 3 3 7.5zM21 3L10 13.5',
  reply: 'M9 5L3.5 10.5 9 16M3.5 10.5H14a6.5 6.5 0 0 1 6.5 6.5v2',
  forward: 'M15 5l5.5 5.5L15 16M20.5 10.5H10A6.5 6.5 0 0 0 3.5 17v2',
  tag: `M3 3.5h8L21 13.5 13.5 21 3 10.5z${disc(7.5, 8, 1.2)}`,
  spam: `${disc(12, 12, 9)}M12 7v6M12 16.3v.4`,
  cart: `M2.5 4H6l2.5 11.5h10L21 7.5H7M9.5 19.2v.6M17.5 19.2v.6`,
  chevron: 'M6 9.5l6 6 6-6',
  next: 'M9 5l7 7-7 7',
  back: 'M15 5l-7 7 7 7',
  more: 'M5 11.7v.6M12 11.7v.6M19 11.7v.6',
  filter: 'M3 5h18l-7 8v6.5l-4-2V13z',
  sort: 'M7 4v16M3.5 16.5L7 20l3.5-3.5M17 20V4M13.5 7.5L17 4l3.5 3.5',
  bold: 'M7 4h6a4 4 0 0 1 0 8H7zM7 12h7a4 4 0 0 1 0 8H7z',
  italic: 'M10 4h8M6 20h8M14.5 4l-5 16',
  underline: 'M6.5 4v7a5.5 5.5 0 0 0 11 0V4M5 20.5h14',
  bullets: 'M9 6h12M9 12h12M9 18h12M4 5.7v.6M4 11.7v.6M4 17.7v.6',
  numbers: 'M10 6h11M10 12h11M10 18h11M3.5 4.5L5 4v4.5M3.5 16.5a1.3 1.3 0 1 1 2 1L3.5 20H6',
  quote: 'M9.5 7H5v6h4.5zM9.5 13c0 2.5-1.5 4-4 4.5M19 7h-4.5v6H19zM19 13c0 2.5-1.5 4-4 4.5',
  link: 'M10 14a4.5 4.5 0 0 0 6.4 0l3-3a4.5 4.5 0 0 0-6.4-6.4l-1.2 1.2M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1.2-1.2',
  grid: 'M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM13.5 13.5H20V20h-6.5z',
  image: `M3 4.5h18v15H3zM3 16l5-5 5 5 3-3 5 5${disc(15.5, 9, 1.5)}`,
  music: `M9 18V5l11-2v13${disc(6, 18, 3)}${disc(17, 16, 3)}`,
  chart: 'M4 4v16h17M8.5 16v-5M13 16V8M17.5 16v-3',
  pin: `M12 21.5c-4.5-5-7-8.3-7-11.8a7 7 0 0 1 14 0c0 3.5-2.5 6.8-7 11.8z${disc(12, 9.7, 2.5)}`,
  route: `${disc(6, 5.5, 2.3)}${disc(18, 18.5, 2.3)}M8.3 5.5H15a3.5 3.5 0 0 1 0 7H9a3 3 0 0 0 0 6h6.7`,
  hash: 'M9 3.5L7 20.5M17 3.5l-2 17M4 9h16.5M3.5 15H20',
  smile: `${disc(12, 12, 9)}M8 14c1 2 2.3 3 4 3s3-1 4-3M9 9v.6M15 9v.6`,
  undo: 'M8 5L3.5 9.5 8 14M3.5 9.5H15a5.5 5.5 0 0 1 0 11h-4',
  copy: 'M8.5 8.5H20V20H8.5zM15.5 8.5V4H4v11.5h4.5',
  move: 'M3 5.5h6l2 2.5h10V19.5H3zM9 14h7M13.5 11l3 3-3 3',
  globe: `${disc(12, 12, 9)}M3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18`,
  wifi: 'M2.5 9c6-5.3 13-5.3 19 0M6 13c4-3.4 8-3.4 12 0M9.5 16.7c1.7-1.4 3.3-1.4 5 0M12 20v.3',
  screen: 'M3 4.5h18v12H3zM12 16.5v4M8 20.5h8',
  sound: 'M4 9.5v5h4l5 4.5V5L8 9.5zM16.5 9a4.5 4.5 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11',
  shield: 'M12 3l8 3v6c0 4.5-3 7.5-8 9.5C7 19.5 4 16.5 4 12V6z',
} as const;

export type AppIconName = keyof typeof more | keyof typeof icons;

export function iconPath(name: AppIconName): string {
  return name in more ? more[name as keyof typeof more] : icons[name as keyof typeof icons].path;
}
