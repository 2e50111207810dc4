/** A line icon in a 24 x 24 view box, with its names. */
export interface Icon {
  readonly path: string;
  readonly en: string;
  readonly zh: string;
}

const circle = (x: number, y: number, radius: number): string =>
  `M${x} ${y - radius}a${radius} ${radius} 0 1 0 0 ${2 * radius}a${radius} ${radius} 0 1 0 0 ${-2 * radius}z`;

function gear(): string {
  const corners = Array.from({ length: 32 }, (_, index) => {
    const radius = index % 4 === 1 || index % 4 === 2 ? 9.6 : 7.2;
    const angle = ((index + (index % 2 === 0 ? 0.15 : -0.15)) * Math.PI) / 16;
    return `${(12 + radius * Math.sin(angle)).toFixed(1)} ${(12 - radius * Math.cos(angle)).toFixed(1)}`;
  });
  return `M${corners.join('L')}z${circle(12, 12, 3)}`;
}

export const icons = {
  search: { path: `${circle(10.5, 10.5, 6.5)}M15.5 15.5L21 21`, en: 'search', zh: '搜索' },
  settings: { path: gear(), en: 'settings', zh: '设置' },
  trash: { path: 'M4 7h16M9 7V4h6v3M6 7l1 13.5h10L18 7M10 11v6M14 11v6', en: 'trash', zh: '垃圾桶' },
  home: { path: 'M3 11.5L12 4l9 7.5M5.5 10v10.5h13V10M10 20.5v-6h4v6', en: 'home', zh: '主页' },
  heart: {
    path: 'M12 20.5C5 15.5 3 12.5 3 9.2A4.8 4.8 0 0 1 12 6.8 4.8 4.8 0 0 1 21 9.2C21 12.5 19 15.5 12 20.5z',
    en: 'heart',
    zh: '爱心',
  },
  star: {
    path: 'M12 3l2.8 5.9 6.4.8-4.7 4.4 1.2 6.4-5.7-3.2-5.7 3.2 1.2-6.4L2.8 9.7l6.4-.8z',
    en: 'star',
    zh: '星形',
  },
  bell: { path: 'M6 17v-6a6 6 0 0 1 12 0v6l2 1.5H4zM10 21.5h4', en: 'bell', zh: '铃声' },
  user: { path: `${circle(12, 8, 4)}M4 21c0-5 3.5-7 8-7s8 2 8 7`, en: 'user', zh: '用户' },
  lock: { path: 'M6 11h12v10H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11', en: 'lock', zh: '锁' },
  menu: { path: 'M4 6h16M4 12h16M4 18h16', en: 'menu', zh: '菜单' },
  plus: { path: 'M12 4v16M4 12h16', en: 'plus', zh: '加号' },
  minus: { path: 'M4 12h16', en: 'minus', zh: '减号' },
  close: { path: 'M5 5l14 14M19 5L5 19', en: 'close', zh: '关闭' },
  check: { path: 'M4 12.5l5.5 5.5L20 6.5', en: 'check', zh: '对号' },
  left: { path: 'M20 12H4M10.5 5.5L4 12l6.5 6.5', en: 'left arrow', zh: '左箭头' },
  right: { path: 'M4 12h16M13.5 5.5L20 12l-6.5 6.5', en: 'right arrow', zh: '右箭头' },
  up: { path: 'M12 20V4M5.5 10.5L12 4l6.5 6.5', en: 'up arrow', zh: '上箭头' },
  down: { path: 'M12 4v16M5.5 13.5L12 20l6.5-6.5', en: 'down arrow', zh: '下箭头' },
  play: { path: 'M7 4l13 8-13 8z', en: 'play', zh: '播放' },
  pause: { path: 'M6.5 4h3.5v16H6.5zM14 4h3.5v16H14z', en: 'pause', zh: '暂停' },
  mail: { path: 'M3 5.5h18v13.5H3zM3 6.5l9 7 9-7', en: 'mail', zh: '邮件' },
  phone: {
    path: 'M5.5 3H9l2 5-2.5 2a12 12 0 0 0 5.5 5.5l2-2.5 5 2v3.5a2.5 2.5 0 0 1-2.5 2.5A16 16 0 0 1 3 5.5a2.5 2.5 0 0 1 2.5-2.5z',
    en: 'phone',
    zh: '电话',
  },
  calendar: { path: 'M4 5.5h16V21H4zM4 10.5h16M8.5 3v5M15.5 3v5', en: 'calendar', zh: '日历' },
  clock: { path: `${circle(12, 12, 9)}M12 6.5v6l4 2.5`, en: 'clock', zh: '时钟' },
  folder: { path: 'M3 5.5h6l2 2.5h10V19.5H3z', en: 'folder', zh: '文件夹' },
  file: { path: 'M6 3h8l4.5 4.5V21H6zM14 3v5h4.5M9 12.5h6M9 16.5h6', en: 'file', zh: '文件' },
  download: { path: 'M12 3v12M6.5 10l5.5 5.5L17.5 10M4 20.5h16', en: 'download', zh: '下载' },
  upload: { path: 'M12 16V4M6.5 9L12 3.5 17.5 9M4 20.5h16', en: 'upload', zh: '上传' },
  share: {
    path: `${circle(6, 12, 2.5)}${circle(18, 5.5, 2.5)}${circle(18, 18.5, 2.5)}M8.3 10.8l7.5-4.1M8.3 13.2l7.5 4.1`,
    en: 'share',
    zh: '分享',
  },
  edit: { path: 'M4 20l1-4.5L16.5 4l3.5 3.5L8.5 19zM14 6.5l3.5 3.5', en: 'edit', zh: '编辑' },
} as const satisfies Readonly<Record<string, Icon>>;

export type IconName = keyof typeof icons;
export const iconNames = Object.keys(icons) as readonly IconName[];

/** Icons that are easily confused. */
export const iconFamilies: readonly (readonly IconName[])[] = [
  ['left', 'right', 'up', 'down', 'download', 'upload'],
  ['plus', 'minus', 'close', 'check'],
  ['star', 'heart', 'bell'],
  ['folder', 'file', 'mail', 'calendar'],
  ['clock', 'search', 'settings', 'user'],
  ['play', 'pause', 'menu', 'minus'],
  ['trash', 'lock', 'edit', 'share'],
  ['home', 'upload', 'lock', 'phone'],
];

/** Renders an icon; `weight` is its stroke width in view box units. */
export function iconSvg(name: IconName, weight: number): string {
  return `<svg class="glyph" viewBox="0 0 24 24" stroke-width="${weight}"><path d="${icons[name].path}"/></svg>`;
}
