import type { Element, ElementKind } from '../../family/screen/element.js';
import { icons } from '../../family/screen/icons.js';
import type { Colour } from '../../family/screen/theme.js';
import type { Shape } from '../../family/screen/element.js';

export interface Phrase {
  readonly en: string;
  readonly zh: string;
}

export const nouns: Readonly<Record<ElementKind, Phrase>> = {
  area: { en: 'text area', zh: '文本框' },
  badge: { en: 'badge', zh: '角标' },
  bar: { en: 'bar', zh: '柱形' },
  bubble: { en: 'message', zh: '消息' },
  button: { en: 'button', zh: '按钮' },
  cell: { en: 'cell', zh: '单元格' },
  checkbox: { en: 'checkbox', zh: '复选框' },
  chip: { en: 'chip', zh: '标记' },
  crumb: { en: 'link', zh: '链接' },
  day: { en: 'day', zh: '日期' },
  dialog: { en: 'dialog', zh: '对话框' },
  entry: { en: 'menu item', zh: '菜单项' },
  field: { en: 'field', zh: '输入框' },
  icon: { en: 'icon', zh: '图标' },
  item: { en: 'item', zh: '列表项' },
  link: { en: 'link', zh: '链接' },
  page: { en: 'page', zh: '页码' },
  progress: { en: 'progress bar', zh: '进度条' },
  radio: { en: 'option', zh: '选项' },
  row: { en: 'row', zh: '行' },
  select: { en: 'dropdown', zh: '下拉框' },
  shape: { en: 'shape', zh: '图形' },
  slider: { en: 'slider', zh: '滑块' },
  stepper: { en: 'counter', zh: '计数器' },
  switch: { en: 'switch', zh: '开关' },
  tab: { en: 'tab', zh: '标签' },
  text: { en: 'text', zh: '文字' },
  tile: { en: 'tile', zh: '格子' },
  title: { en: 'title', zh: '标题' },
  tooltip: { en: 'tooltip', zh: '提示' },
};

export const colourWords: Readonly<Record<Colour, string>> = {
  red: '红色',
  orange: '橙色',
  yellow: '黄色',
  green: '绿色',
  teal: '青色',
  blue: '蓝色',
  purple: '紫色',
  pink: '粉色',
};

export const shapeWords: Readonly<Record<Shape, string>> = {
  circle: '圆形',
  square: '方形',
  triangle: '三角形',
  star: '星形',
  heart: '爱心',
  diamond: '菱形',
  hexagon: '六边形',
  cross: '十字',
};

/** Returns `star`, `trash icon`, `button`... */
export function nounOf(element: Element): Phrase {
  if (element.kind === 'tile') return { en: element.label, zh: '格子' };
  if (element.kind === 'shape' && element.shape) return { en: element.shape, zh: shapeWords[element.shape] };
  if (element.kind === 'icon' && element.icon) return iconPhrase(element.icon);
  return nouns[element.kind];
}

export const iconPhrase = (name: keyof typeof icons): Phrase => ({
  en: `${icons[name].en} icon`,
  zh: `${icons[name].zh}图标`,
});

/** Returns `button "save"`, `checked checkbox "news"`, `red star`, `empty field "name"`... */
export function describe(element: Element): Phrase {
  const noun = nounOf(element);
  const { colour, checked, focused, disabled, current, kind } = element;
  const written = kind === 'field' || kind === 'area';
  const called = element.label || element.name || element.row || '';
  const quoted =
    called && kind !== 'tile'
      ? `"${written ? (element.name ?? element.label) : kind === 'select' || kind === 'stepper' ? (element.name ?? called) : called}"`
      : '';
  const state: Phrase[] = [];
  if (disabled) state.push({ en: 'disabled', zh: '禁用的' });
  if (kind === 'checkbox')
    state.push(checked ? { en: 'checked', zh: '已勾选的' } : { en: 'unchecked', zh: '未勾选的' });
  if (kind === 'radio') state.push(checked ? { en: 'chosen', zh: '选中的' } : { en: 'unchosen', zh: '未选中的' });
  if (current) state.push({ en: 'selected', zh: '选中的' });
  if (focused) state.push({ en: 'focused', zh: '有焦点的' });
  if (written && element.label === '') state.push({ en: 'empty', zh: '空的' });
  if (kind === 'switch') state.push(checked ? { en: 'on', zh: '开启的' } : { en: 'off', zh: '关闭的' });
  if (colour) state.push({ en: colour, zh: colourWords[colour] });
  return {
    en: [...state.map(({ en }) => en), noun.en, quoted].filter(Boolean).join(' '),
    zh: [...state.map(({ zh }) => zh), noun.zh, quoted].join(''),
  };
}
