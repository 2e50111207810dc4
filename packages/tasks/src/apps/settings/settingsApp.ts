import type { AppWords } from '../data/appWords.js';
import type { App } from '../appFamily.js';
import { timeText } from '../data/day.js';
import { lexicon } from '../data/lexicon.js';
import type { Pen } from '../data/pen.js';
import type { Setting, SettingsApp, SettingsPage, SettingsStore, Value } from './settingsStore.js';
import { settingsTemplates } from './settingsTemplates.js';
import { settingsWords } from './settingsWords.js';

type Words = AppWords<SettingsApp['word']>;

function drawStore(pen: Pen, words: Words): SettingsStore {
  const { random } = pen;
  const values: Record<string, Value> = {};
  const add = (id: string, label: string, kind: Setting['kind'], value: Value, options?: string[]): Setting => {
    values[id] = value;
    return { id, kind, label, ...(options && { options }) };
  };
  type Word = SettingsApp['word'];
  const flip = (id: Word) => add(id, words[id], 'switch', random.chance(0.5));
  const level = (id: Word) => add(id, words[id], 'level', random.between(0, 10) * 10);
  const text = (id: Word, value: string) => add(id, words[id], 'text', value);
  const fact = (id: Word, value: string) => add(id, words[id], 'fact', value);
  const choice = (id: Word, options: string[]) => add(id, words[id], 'choice', random.pick(options), options);
  const moments = new Set<number>();
  while (moments.size < 6) moments.add(pen.number(0, 287) * 5);
  const times = [...moments].sort((a, b) => a - b).map(timeText);
  const apps = Array.from({ length: random.between(6, 8) }, () =>
    pen.fresh(() => `${pen.word('quality')}${pen.language === 'en' ? ' ' : ''}${pen.word('kind')}`),
  );
  const networks = Array.from({ length: 5 }, () => `${pen.word('quality')}-${pen.digits(3)}`);
  const to = (page: Word): Setting => ({ id: page, kind: 'page', label: words[page] });
  const page = (
    id: Word,
    icon: SettingsPage['icon'],
    settings: Setting[],
    saves = false,
    parent = '',
  ): SettingsPage => ({
    ...{ id, label: words[id], icon, parent, saves },
    settings: random.shuffle(settings.slice(0, -1)).concat(settings.slice(-1)),
  });
  const languages = ['English', '中文', 'Deutsch', 'Français', 'Español'];
  const tops = [
    page(
      'account',
      'user',
      [
        text('name', pen.person()),
        text('email', `${pen.handle()}@example.com`),
        text('city', pen.newWord('place')),
        choice('language', languages),
        flip('public'),
      ],
      true,
    ),
    page('display', 'screen', [
      flip('dark'),
      level('brightness'),
      choice('textSize', [words.small, words.medium, words.large]),
      flip('warm'),
      to('advanced'),
    ]),
    page('sound', 'sound', [
      level('volume'),
      level('alerts'),
      choice('tone', random.shuffle(lexicon[pen.language].quality[pen.split]).slice(0, 5)),
      flip('keys'),
      flip('mono'),
    ]),
    page('network', 'wifi', [flip('wifi'), choice('join', networks), text('password', ''), flip('metered')], true),
    page('notifications', 'bell', [
      flip('quiet'),
      choice('quietFrom', times),
      choice('quietTo', times),
      ...apps.map((app, index) => add(`app${index}`, app, 'switch', random.chance(0.6))),
    ]),
    page('privacy', 'shield', [
      flip('location'),
      flip('camera'),
      flip('microphone'),
      flip('usage'),
      choice('keep', [words.day, words.week, words.month]),
      add('clear', words.clear, 'act', random.between(5, 90)),
      to('security'),
    ]),
    page('system', 'globe', [
      flip('updates'),
      choice('channel', [words.stable, words.beta, words.preview]),
      fact('device', `${pen.word('quality')}-${pen.digits(3)}`),
      fact('version', `${pen.number(2, 30)}.${pen.number(1, 40)}`),
      fact('serial', pen.digits(7)),
      fact('free', String(pen.number(5, 400))),
    ]),
  ];
  const [first, ...rest] = tops;
  return {
    pages: [
      ...(first ? [first] : []),
      ...random.shuffle(rest),
      page(
        'advanced',
        'screen',
        [flip('contrast'), choice('refresh', ['60 Hz', '90 Hz', '120 Hz']), flip('dim')],
        false,
        'display',
      ),
      page(
        'security',
        'lock',
        [text('pin', pen.digits(4)), flip('twoStep'), choice('lock', [words.minute, words.five, words.quarter])],
        true,
        'privacy',
      ),
    ],
    values,
  };
}

export const settingsApp: App<SettingsApp> = {
  name: 'settings',
  words: settingsWords,
  layouts: { nav: ['side', 'tiles'], tiles: ['two', 'three'], width: ['wide', 'narrow'], align: ['start', 'middle'] },
  styles: `
.settings .side{width:152px}
.settings .item{min-height:34px}
.settings .row.setting{min-height:44px;cursor:default}
.settings .sheet{padding:4px 16px 12px}
.settings .tools.plain{border:0;padding-left:2px}
.settings .scroll>.panel{overflow:visible}
.settings.width-narrow .sheet{padding:4px 44px 12px}
.settings .foot{padding-top:10px}
.settings .level{width:120px;height:20px;display:flex;align-items:center;cursor:pointer;background:linear-gradient(var(--line),var(--line)) center/100% 6px no-repeat;border-radius:3px}
.settings .level i{display:block;height:6px;background:var(--accent);border-radius:3px;position:relative}
.settings .level i::after{content:'';position:absolute;right:-7px;top:-5px;width:16px;height:16px;border-radius:50%;background:var(--accent);border:2px solid var(--card)}
.settings .number{width:28px;text-align:right}
.settings .entry{width:210px}
.settings .list{max-height:230px}
.tiles{flex:1;min-height:0;display:grid;grid-template-columns:repeat(3,1fr);gap:12px;padding:14px;align-content:start;overflow-y:auto}
.settings.tiles-two .tiles{grid-template-columns:repeat(2,1fr)}
.tile{display:flex;flex-direction:column;gap:5px;padding:13px;cursor:pointer}
.settings.align-middle .tile{align-items:center}
.tile:hover{border-color:var(--accent)}
.tile .ico{width:24px;height:24px;color:var(--accent)}
.tile .cut{max-width:100%}
`,
  draw: drawStore,
  templates: settingsTemplates,
};
