import type { Draft, Template } from '../appFamily.js';
import {
  type Setting,
  type SettingsApp,
  type SettingsPage,
  type SettingsStore,
  type Value,
  pageOf,
} from './settingsStore.js';

type SettingsDraft = Draft<SettingsApp>;

const setAll = (values: Readonly<Record<string, Value>>) => (store: SettingsStore) =>
  Object.assign(store.values, values);

function pick(draft: SettingsDraft, kind: Setting['kind'], fits: (page: SettingsPage) => boolean) {
  const candidates = draft.store.pages
    .filter(fits)
    .flatMap((page) => page.settings.filter((setting) => setting.kind === kind).map((setting) => ({ page, setting })));
  return draft.random.pick(candidates);
}

const open = (page: SettingsPage) => !page.saves && page.parent === '';

function otherOf({ random, store }: SettingsDraft, { id, kind, options = [] }: Setting): Value {
  const now = store.values[id];
  if (kind === 'switch') return now !== true;
  const values = kind === 'level' ? Array.from({ length: 11 }, (_, index) => index * 10) : options;
  return random.pick(values.filter((value) => value !== now));
}

function valueText({ language }: SettingsDraft, value: Value): string {
  if (typeof value === 'boolean') return language === 'en' ? (value ? 'on' : 'off') : value ? '开启' : '关闭';
  if (typeof value === 'number') return String(value);
  return language === 'en' ? `"${value}"` : `“${value}”`;
}

const appsOf = ({ pages }: SettingsStore): Setting[] =>
  pages.flatMap(({ settings }) => settings.filter(({ id }) => id.startsWith('app')));

const labelOf = (store: SettingsStore, id: string): string =>
  pageOf(store, id)?.settings.find((setting) => setting.id === id)?.label ?? '';

export const settingsTemplates: readonly Template<SettingsApp>[] = [
  {
    name: 'switch',
    description: 'Turn a switch on a page on or off.',
    difficulty: 1,
    steps: 5,
    en: [
      'Turn {setting} [value]. It is under {page}.',
      'Under {page}, switch {setting} [value].',
      'Set {setting} on the page {page} to [value].',
    ],
    zh: ['在{page}里把{setting}设为[value]。', '请[value]{page}中的{setting}。', '{page}页面的{setting}应为[value]。'],
    make(draft) {
      const { page, setting } = pick(draft, 'switch', open);
      const value = otherOf(draft, setting);
      return {
        texts: { page: page.label, setting: setting.label, value: valueText(draft, value) },
        goal: setAll({ [setting.id]: value }),
      };
    },
  },
  {
    name: 'find',
    description: 'Find a switch on an unnamed page, and turn it on or off.',
    difficulty: 2,
    steps: 8,
    en: [
      'Turn {setting} [value].',
      'Find the setting {setting} and switch it [value].',
      'Please make sure that {setting} is [value].',
    ],
    zh: ['把{setting}设为[value]。', '找到{setting}并设为[value]。', '请确认{setting}是[value]状态。'],
    make(draft) {
      const { setting } = pick(draft, 'switch', (page) => !page.saves);
      const value = otherOf(draft, setting);
      return {
        texts: { setting: setting.label, value: valueText(draft, value) },
        goal: setAll({ [setting.id]: value }),
        look: { search: true },
      };
    },
  },
  {
    name: 'choose',
    description: 'Choose another option for a setting.',
    difficulty: 2,
    steps: 6,
    en: [
      'Set {setting} to [value] under {page}.',
      'On the page {page}, choose [value] for {setting}.',
      'Change {setting} ({page}) to [value].',
    ],
    zh: [
      '在{page}里把{setting}设为[value]。',
      '{page}页面中，{setting}选择[value]。',
      '将{setting}（{page}）改为[value]。',
    ],
    make(draft) {
      const { page, setting } = pick(draft, 'choice', open);
      const value = otherOf(draft, setting);
      return {
        texts: { page: page.label, setting: setting.label, value: valueText(draft, value) },
        goal: setAll({ [setting.id]: value }),
      };
    },
  },
  {
    name: 'level',
    description: 'Set a level such as the volume.',
    difficulty: 2,
    steps: 6,
    en: ['Set {setting} to [value].', 'Change {setting} to [value].', 'I want {setting} at [value].'],
    zh: ['把{setting}调到[value]。', '将{setting}改为[value]。', '我想让{setting}为[value]。'],
    make(draft) {
      const { setting } = pick(draft, 'level', open);
      const value = otherOf(draft, setting);
      return { texts: { setting: setting.label, value: Number(value) }, goal: setAll({ [setting.id]: value }) };
    },
  },
  {
    name: 'nested',
    description: 'Change a setting on a subpage.',
    difficulty: 2,
    steps: 7,
    en: ['Set {setting} to [value] under {page}.', 'Open {page} and set {setting} to [value].'],
    zh: ['在{page}里把{setting}设为[value]。', '打开{page}，将{setting}设为[value]。'],
    make(draft) {
      const { page, setting } = pick(
        draft,
        draft.random.pick(['switch', 'choice'] as const),
        ({ id }) => id === 'advanced',
      );
      const value = otherOf(draft, setting);
      return {
        texts: { page: page.label, setting: setting.label, value: valueText(draft, value) },
        goal: setAll({ [setting.id]: value }),
      };
    },
  },
  {
    name: 'rename',
    description: 'Change a text field of the account and save it.',
    difficulty: 3,
    steps: 7,
    en: [
      'Change {setting} to {value} and save.',
      'My {setting} should be {value}. Change it under {page} and save it.',
      'Set {setting} on the page {page} to {value}; do not forget to save.',
    ],
    zh: [
      '把{setting}改成{value}并保存。',
      '我的{setting}应为{value}，请在{page}里修改并保存。',
      '将{page}页面的{setting}设为{value}，别忘了保存。',
    ],
    make(draft) {
      const { pen } = draft;
      const id = draft.random.pick(['name', 'email', 'city'] as const);
      const value = {
        name: () => pen.person(),
        email: () => `${pen.handle()}@example.org`,
        city: () => pen.newWord('place'),
      }[id]();
      return {
        texts: { setting: labelOf(draft.store, id), page: draft.words.account, value },
        goal: setAll({ [id]: value }),
      };
    },
  },
  {
    name: 'join',
    description: 'Choose a network, enter its password and save.',
    difficulty: 3,
    steps: 9,
    en: [
      'Join the network {network} with the password {password} and save.',
      'Under {page}, choose {network}, enter the password {password} and save.',
    ],
    zh: ['连接网络{network}，密码{password}，并保存。', '在{page}里选择{network}，输入密码{password}并保存。'],
    make(draft) {
      const { setting } = pick(draft, 'choice', ({ id }) => id === 'network');
      const [network, password] = [String(otherOf(draft, setting)), draft.pen.digits(8)];
      return {
        texts: { network, password, page: draft.words.network },
        goal: setAll({ join: network, password }),
      };
    },
  },
  {
    name: 'pin',
    description: 'Set a new PIN and save it.',
    difficulty: 3,
    steps: 8,
    en: [
      'Set the PIN to {pin} and save.',
      'Change the PIN to {pin}. It is under {page}; save it.',
      'The new PIN is {pin}: enter it under {page} and save.',
    ],
    zh: [
      '把PIN码改为{pin}并保存。',
      '将PIN码设为{pin}，在{page}中，记得保存。',
      '新的PIN码是{pin}：请在{page}里输入并保存。',
    ],
    make({ pen, words }) {
      const pin = pen.digits(4);
      return { texts: { pin, page: words.security }, goal: setAll({ pin }) };
    },
  },
  {
    name: 'muteApp',
    description: 'Turn off the notifications of one app.',
    difficulty: 2,
    steps: 5,
    en: [
      'Turn off the notifications of {app}.',
      'No more notifications from {app}, please.',
      '{app} should not send notifications any more.',
    ],
    zh: ['关闭{app}的通知。', '不要再收到{app}的通知。', '{app}不应再发送通知。'],
    make({ random, store }) {
      const { id, label } = random.pick(appsOf(store));
      store.values[id] = true;
      return { texts: { app: label }, goal: setAll({ [id]: false }) };
    },
  },
  {
    name: 'onlyApp',
    description: 'Leave notifications on for one app only.',
    difficulty: 4,
    steps: 11,
    heldOut: true,
    en: [
      'Of the apps, only {app} may send notifications. Turn all others off.',
      'Let only {app} send notifications; switch off those of every other app.',
    ],
    zh: ['只允许{app}发送通知，其他应用的通知都关闭。', '除{app}外，关闭所有应用的通知。'],
    make({ random, store }) {
      const apps = appsOf(store);
      const chosen = random.pick(apps);
      return {
        texts: { app: chosen.label },
        goal: setAll(Object.fromEntries(apps.map(({ id }) => [id, id === chosen.id]))),
      };
    },
  },
  {
    name: 'quietHours',
    description: 'Schedule Do Not Disturb and turn it on.',
    difficulty: 3,
    steps: 9,
    en: [
      'Turn on {quiet}, from [from] until [to].',
      'I do not want to be disturbed from [from] to [to]: set this under {page} and turn {quiet} on.',
    ],
    zh: ['开启{quiet}，从[from]到[to]。', '[from]到[to]之间不要打扰我：请在{page}里设置并开启{quiet}。'],
    make(draft) {
      const { store, words } = draft;
      const setting = (id: string): Setting => ({ ...pageOf(store, id)!.settings.find((one) => one.id === id)! });
      const [from, to] = [String(otherOf(draft, setting('quietFrom'))), String(otherOf(draft, setting('quietTo')))];
      if (from === to) return undefined;
      return {
        texts: { quiet: words.quiet, page: words.notifications, from, to },
        goal: setAll({ quiet: true, quietFrom: from, quietTo: to }),
      };
    },
  },
  {
    name: 'clear',
    description: 'Run an irreversible action and confirm it.',
    difficulty: 2,
    steps: 4,
    en: ['Use {act} under {page} and confirm it.', 'Under {page}, press {act} and confirm.'],
    zh: ['在{page}里使用{act}并确认。', '点击{page}中的{act}并确认。'],
    make({ words }) {
      return { texts: { act: words.clear, page: words.privacy }, goal: setAll({ clear: 0 }) };
    },
  },
  {
    name: 'tell',
    description: 'Report a fact from a page.',
    difficulty: 1,
    steps: 4,
    en: [
      'What does {setting} say under {page}?',
      'Answer with the value of {setting} on the page {page}.',
      'Look up {setting} under {page} and answer with it.',
    ],
    zh: ['{page}里的{setting}是什么？', '请回答{page}页面上{setting}的值。', '在{page}里查看{setting}并回答。'],
    make(draft) {
      const { page, setting } = pick(draft, 'fact', open);
      return {
        texts: { page: page.label, setting: setting.label },
        answer: String(draft.store.values[setting.id]),
        look: { setting: setting.id },
      };
    },
  },
  {
    name: 'countApps',
    description: 'Report how many apps may send notifications.',
    difficulty: 2,
    steps: 4,
    chance: 0.3,
    heldOut: true,
    en: [
      'How many apps have their notifications turned on? Answer with the number.',
      'Count the apps that may send notifications.',
    ],
    zh: ['有多少个应用开启了通知？请回答数字。', '数一数允许发送通知的应用。'],
    make({ store }) {
      const count = appsOf(store).filter(({ id }) => store.values[id] === true).length;
      return { texts: {}, answer: count, look: { setting: 'app0' } };
    },
  },
  {
    name: 'setUp',
    description: 'Change six settings on different pages.',
    difficulty: 5,
    steps: 23,
    en: [
      'Set this up: {a} to [va], {b} to [vb], {c} to [vc], {d} to [vd], the PIN to {pin}, and {name} to {person}. Save where that is needed.',
      'I have a new device. Change {name} to {person}, {a} to [va], {b} to [vb], {c} to [vc], {d} to [vd] and the PIN to {pin}; save what has to be saved.',
    ],
    zh: [
      '请这样设置：{a}为[va]，{b}为[vb]，{c}为[vc]，{d}为[vd]，PIN码为{pin}，{name}为{person}。需要保存的请保存。',
      '我有一台新设备。把{name}改为{person}，{a}改为[va]，{b}改为[vb]，{c}改为[vc]，{d}改为[vd]，PIN码改为{pin}；该保存的要保存。',
    ],
    make(draft) {
      const on = (id: string) => (page: SettingsPage) => page.id === id;
      const four = [
        pick(draft, 'switch', on('display')),
        pick(draft, 'level', on('sound')),
        pick(draft, 'switch', on('privacy')),
        pick(draft, 'choice', on('system')),
      ].map(({ setting }) => setting);
      const values = four.map((setting) => otherOf(draft, setting));
      const [pin, person] = [draft.pen.digits(4), draft.pen.person()];
      const texts = Object.fromEntries(
        four.flatMap((setting, index) => [
          ['abcd'[index] ?? '', setting.label],
          [`v${'abcd'[index]}`, valueText(draft, values[index] ?? '')],
        ]),
      );
      return {
        texts: { ...texts, pin, person, name: draft.words.name },
        goal: setAll({
          ...Object.fromEntries(four.map(({ id }, index) => [id, values[index] ?? ''])),
          pin,
          name: person,
        }),
      };
    },
  },
];
