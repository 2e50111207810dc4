import type { Draft, Template } from '../appFamily.js';
import { lexicon } from '../data/lexicon.js';
import {
  type Block,
  type EditorApp,
  type EditorStore,
  type Mark,
  type Style,
  lengthOf,
  marks,
  plainBlock,
  replaceAll,
  timesIn,
} from './editorStore.js';

type EditorDraft = Draft<EditorApp>;

function pickBlock({ random, store, language }: EditorDraft): { index: number; block: Block; start: string } {
  const index = random.between(1, store.blocks.length - 1);
  const block = store.blocks[index]!;
  return { index, block, start: startOf(block, language) };
}

function startOf({ text }: Block, language: string): string {
  return language === 'en' ? text.split(' ').slice(0, 4).join(' ') : text.slice(0, 6);
}

/** Picks a phrase that occurs exactly once. */
function pickPhrase({ random, store, language }: EditorDraft, words = 2): string | undefined {
  for (let attempt = 0; attempt < 40; attempt++) {
    const block = random.pick(store.blocks.slice(1));
    const parts = language === 'en' ? block.text.match(/[\p{L}-]+/gu) : [...block.text];
    const length = language === 'en' ? words : words + 2;
    if (!parts || parts.length < length) continue;
    const first = random.between(0, parts.length - length);
    const phrase = parts.slice(first, first + length).join(language === 'en' ? ' ' : '');
    const isClean = language === 'en' ? phrase.length > 3 : !/[，。]/.test(phrase);
    if (isClean && timesIn(store, phrase) === 1) return phrase;
  }
  return undefined;
}

/** Picks a word that occurs at least `minTimes` times, never as a part of another word. */
function pickWord({ random, store, language, pen }: EditorDraft, minTimes: number): string | undefined {
  const lists = lexicon[language];
  const words = [...lists.thing[pen.split], ...lists.kind[pen.split]].map((word) => word.toLowerCase());
  const text = store.blocks.map((block) => block.text).join('\n');
  const alone = (word: string) =>
    language === 'en' ? text.match(new RegExp(`\\b${word}\\b`, 'g')) : text.split(word).slice(1);
  const candidates = words.filter(
    (word) => timesIn(store, word) >= minTimes && alone(word)?.length === timesIn(store, word),
  );
  return candidates.length > 0 ? random.pick(candidates) : undefined;
}

/** Appends a line of topics, and of `repeated` ones among them, so that documents differ in more than their names. */
function addTopics(
  { random, store, language, pen }: EditorDraft,
  count: number,
  repeated: readonly string[] = [],
): void {
  const topics = Array.from({ length: count }, () => (language === 'en' ? pen.topic().toLowerCase() : pen.topic()));
  store.blocks.push(plainBlock(random.shuffle([...topics, ...repeated]).join(language === 'en' ? ', ' : '、')));
}

const has = (phrase: string) => (store: EditorStore) => {
  const block = store.blocks.find(({ text }) => text.includes(phrase))!;
  return { block, from: block.text.indexOf(phrase) };
};

function setMark(phrase: string, mark: Mark) {
  return (store: EditorStore) => {
    const { block, from } = has(phrase)(store);
    for (let at = from; at < from + phrase.length; at++) block.marks[at] = (block.marks[at] ?? 0) | marks[mark];
  };
}

function setLinkTo(phrase: string, link: string) {
  return (store: EditorStore) => {
    const { block, from } = has(phrase)(store);
    block.links.fill(link, from, from + phrase.length);
  };
}

const setStyle = (indices: readonly number[], style: Style) => (store: EditorStore) => {
  for (const index of indices) store.blocks[index]!.style = style;
};

const setText = (index: number, text: string) => (store: EditorStore) => {
  store.blocks[index] = plainBlock(text, store.blocks[index]?.style);
};

const address = ({ pen }: EditorDraft) => `https://${pen.handle().replace(/[._]/, '-')}.example`;

function markTemplate(
  name: string,
  mark: Mark,
  en: readonly string[],
  zh: readonly string[],
  words: number,
  heldOut = false,
): Template<EditorApp> {
  return {
    ...{ name, description: `Make a phrase ${mark}.`, difficulty: 2, steps: 4, en, zh },
    ...(heldOut && { heldOut }),
    make(draft) {
      const phrase = pickPhrase(draft, words);
      return phrase ? { texts: { phrase }, goal: setMark(phrase, mark) } : undefined;
    },
  };
}

export const editorTemplates: readonly Template<EditorApp>[] = [
  markTemplate(
    'bold',
    'bold',
    ['Make {phrase} bold.', 'Set the words {phrase} in bold letters.', 'The phrase {phrase} should be bold.'],
    ['把{phrase}加粗。', '将文字{phrase}设为粗体。', '{phrase}这几个字要加粗。'],
    1,
  ),
  markTemplate(
    'italic',
    'italic',
    ['Set {phrase} in italics.', 'Make the words {phrase} italic.', 'The phrase {phrase} should be italic.'],
    ['把{phrase}设为斜体。', '将文字{phrase}变成斜体。', '{phrase}这几个字要用斜体。'],
    2,
  ),
  markTemplate(
    'underline',
    'underline',
    ['Underline {phrase}.', 'Put a line under the words {phrase}.'],
    ['给{phrase}加下划线。', '在{phrase}下面加线。'],
    3,
    true,
  ),
  {
    name: 'heading',
    description: 'Turn the first line into a heading.',
    difficulty: 2,
    steps: 4,
    en: [
      'Make the first line, {line}, a heading in the style {style}.',
      'Give the line {line} the style {style}.',
      '{line} is the heading: set its style to {style}.',
    ],
    zh: ['把第一行{line}设为{style}样式。', '给{line}这一行应用{style}样式。', '{line}是标题：将样式设为{style}。'],
    make({ random, store, words }) {
      const style = random.pick(['h1', 'h2'] as const);
      return { texts: { line: store.blocks[0]?.text ?? '', style: words[style] }, goal: setStyle([0], style) };
    },
  },
  {
    name: 'quote',
    description: 'Turn a paragraph into a quote.',
    difficulty: 2,
    steps: 5,
    en: [
      'Turn the paragraph that begins with {start} into a quote.',
      'The paragraph {start} … gets the style {quote}.',
    ],
    zh: ['把以{start}开头的段落设为引用。', '以{start}开头的那一段使用{quote}样式。'],
    make(draft) {
      const { index, start } = pickBlock(draft);
      return { texts: { start, quote: draft.words.quote }, goal: setStyle([index], 'quote') };
    },
  },
  {
    name: 'list',
    description: 'Turn the last three paragraphs into a list.',
    difficulty: 3,
    steps: 9,
    en: [
      'Turn the last three paragraphs into a {list}.',
      'Make a {list} of the last three paragraphs.',
      'The last three paragraphs should be a {list}.',
    ],
    zh: ['把最后三段变成{list}。', '将最后三个段落设为{list}。', '最后三段应为{list}。'],
    make({ random, store, words }) {
      const style = random.pick(['bullet', 'number'] as const);
      const last = store.blocks.length;
      return { texts: { list: words[style] }, goal: setStyle([last - 3, last - 2, last - 1], style) };
    },
  },
  {
    name: 'centre',
    description: 'Centre the first line.',
    difficulty: 1,
    steps: 3,
    en: ['Centre the first line.', 'Put {line} into the middle of its line.', 'The line {line} should be centred.'],
    zh: ['把第一行居中。', '将{line}放在行的中间。', '{line}这一行要居中。'],
    make: ({ store }) => ({
      texts: { line: store.blocks[0]?.text ?? '' },
      goal: (aim) => (aim.blocks[0]!.centred = true),
    }),
  },
  {
    name: 'link',
    description: 'Link a phrase to a URL.',
    difficulty: 3,
    steps: 7,
    en: [
      'Link {phrase} to {url}.',
      'Put a link to {url} on the words {phrase}.',
      'The words {phrase} should lead to {url}.',
    ],
    zh: ['给{phrase}加上指向{url}的链接。', '把文字{phrase}链接到{url}。', '点击{phrase}应打开{url}：请添加链接。'],
    make(draft) {
      const phrase = pickPhrase(draft);
      const url = address(draft);
      return phrase ? { texts: { phrase, url }, goal: setLinkTo(phrase, url) } : undefined;
    },
  },
  {
    name: 'append',
    description: 'Write a new paragraph at the end.',
    difficulty: 3,
    steps: 6,
    en: [
      'Write {text} as a new paragraph at the end.',
      'Add a last paragraph that says {text}.',
      'The document should end with the new paragraph {text}.',
    ],
    zh: ['在末尾另起一段写{text}。', '在最后增加一段：{text}。', '文档应以新的一段{text}结尾。'],
    make({ pen }) {
      const text = pen.note();
      return { texts: { text }, goal: (aim) => aim.blocks.push(plainBlock(text)) };
    },
  },
  {
    name: 'insertAt',
    description: 'Insert text at the start of a paragraph.',
    difficulty: 3,
    steps: 4,
    en: [
      'Write {text} in front of the paragraph that begins with {start}, in the same paragraph.',
      'Put {text} at the very beginning of the paragraph {start} ….',
    ],
    zh: ['在以{start}开头的段落最前面写上{text}，不另起段。', '把{text}加在以{start}开头的那一段的开头。'],
    make(draft) {
      const { index, block, start } = pickBlock(draft);
      const text = draft.language === 'en' ? `${draft.pen.word('quality')}: ` : `${draft.pen.word('quality')}：`;
      if (block.text.startsWith(text[0] ?? '')) return undefined;
      return { texts: { start, text }, goal: setText(index, text + block.text) };
    },
  },
  {
    name: 'fixWord',
    description: 'Replace a phrase that occurs once.',
    difficulty: 2,
    steps: 4,
    en: ['Replace {phrase} by {by}.', 'It should say {by} where it now says {phrase}.', 'Change {phrase} to {by}.'],
    zh: ['把{phrase}改成{by}。', '{phrase}处应写{by}。', '将{phrase}替换为{by}。'],
    make(draft) {
      const phrase = pickPhrase(draft, 1);
      if (!phrase) return undefined;
      const by = draft.language === 'en' ? draft.pen.newWord('thing').toLowerCase() : draft.pen.newWord('thing');
      return { texts: { phrase, by }, goal: (aim) => replaceAll(aim, phrase, by) };
    },
  },
  {
    name: 'replaceAll',
    description: 'Replace every occurrence of a word.',
    difficulty: 3,
    steps: 7,
    en: [
      'Replace {word} by {by} everywhere.',
      'Use {find} to change every {word} into {by}.',
      'Wherever the document says {word}, it should say {by}.',
    ],
    zh: ['把所有的{word}替换成{by}。', '用{find}把每个{word}改成{by}。', '文档中凡是{word}都应写成{by}。'],
    make(draft) {
      const { words, language, pen } = draft;
      const word = pickWord(draft, 2);
      if (!word) return undefined;
      const by = language === 'en' ? pen.word('thing').toLowerCase() : pen.word('thing');
      return {
        texts: { word, by, find: words.find },
        goal: (aim) => replaceAll(aim, word, by),
        look: { find: word, by },
      };
    },
  },
  {
    name: 'deleteParagraph',
    description: 'Delete a paragraph.',
    difficulty: 3,
    steps: 7,
    en: [
      'Delete the paragraph that begins with {start}; leave no empty line.',
      'Take out the whole paragraph {start} …, without leaving an empty one.',
    ],
    zh: ['删除以{start}开头的段落，不留空行。', '去掉以{start}开头的整段，不要留下空段。'],
    make(draft) {
      const { index, start } = pickBlock(draft);
      return { texts: { start }, goal: (aim) => aim.blocks.splice(index, 1) };
    },
  },
  {
    name: 'rename',
    description: 'Rename the document.',
    difficulty: 1,
    steps: 4,
    en: [
      'Call the document {name}.',
      'Rename the document to {name}.',
      'Change the name of the document, above, to {name}.',
    ],
    zh: ['把文档命名为{name}。', '将文档重命名为{name}。', '把上方的文档名称改成{name}。'],
    make({ pen }) {
      const name = pen.topic();
      return { texts: { name }, goal: (aim) => (aim.title = name) };
    },
  },
  {
    name: 'clear',
    description: 'Remove formatting and links from a phrase.',
    difficulty: 2,
    steps: 7,
    heldOut: true,
    en: ['The words {phrase} are bold. Set them in plain letters again.', 'Take the bold off {phrase}.'],
    zh: ['{phrase}是粗体，请恢复为普通文字。', '取消{phrase}的加粗。'],
    make(draft) {
      const phrase = pickPhrase(draft);
      if (!phrase) return undefined;
      setMark(phrase, 'bold')(draft.store);
      return {
        texts: { phrase },
        goal(aim) {
          has(phrase)(aim).block.marks.fill(0);
        },
      };
    },
  },
  {
    name: 'count',
    description: 'Report the length of the document.',
    difficulty: 1,
    steps: 2,
    en: [
      'How many words does the document have? Answer with the number that is shown.',
      'Answer with the number of words of the document.',
    ],
    zh: ['文档有多少字？请回答显示的数字。', '请回答文档的字数。'],
    make(draft) {
      // The sentences have the same lengths in all documents.
      addTopics(draft, draft.random.between(1, 20));
      return { texts: {}, answer: lengthOf(draft.store, draft.language === 'zh') };
    },
  },
  {
    name: 'countWord',
    description: 'Report how often a word occurs in the document.',
    difficulty: 2,
    steps: 5,
    chance: 0.25,
    en: [
      'How often does the search find {word}? Answer with the number.',
      'Use {find} to count {word}, and change nothing.',
    ],
    zh: ['查找{word}能找到多少处？请回答数字。', '用{find}数一数{word}，不要修改文档。'],
    make(draft) {
      const { random, store, words } = draft;
      const word = pickWord(draft, 1);
      if (!word) return undefined;
      addTopics(draft, 2, new Array<string>(random.between(0, 5)).fill(word));
      return { texts: { word, find: words.find }, answer: timesIn(store, word), look: { find: word } };
    },
  },
  {
    name: 'layOut',
    description: 'Set a heading, formatting, a link, a list, a new paragraph and the document name.',
    difficulty: 5,
    steps: 33,
    en: [
      'Lay the document out: name it {name}; {line} gets the style {style} and is centred; {bold} is bold; {linked} leads to {url}; the paragraphs 2 and 3 below the first line become a {list}; write {text} as the last paragraph.',
      'Call the document {name}. Centre the first line and give it the style {style}. Make {bold} bold and link {linked} to {url}. Turn the second and the third paragraph below the first line into a {list}, and end with the new paragraph {text}.',
    ],
    zh: [
      '排版文档：命名为{name}；{line}使用{style}样式并居中；{bold}加粗；{linked}链接到{url}；第一行下面的第2、3段变成{list}；最后另起一段写{text}。',
      '把文档命名为{name}。第一行居中并设为{style}样式。将{bold}加粗，给{linked}加上{url}链接。第一行之后的第二段和第三段设为{list}，最后增加一段{text}。',
    ],
    make(draft) {
      const { pen, random, store, words } = draft;
      const [bold, linked] = [pickPhrase(draft, 1), pickPhrase(draft, 2)];
      if (!bold || !linked || bold.includes(linked) || linked.includes(bold)) return undefined;
      const [style, list] = [random.pick(['h1', 'h2'] as const), random.pick(['bullet', 'number'] as const)];
      const [name, text, url] = [pen.topic(), pen.note(), address(draft)];
      return {
        texts: {
          ...{ name, text, url, bold, linked, line: store.blocks[0]?.text ?? '' },
          ...{ style: words[style], list: words[list] },
        },
        goal(aim) {
          aim.title = name;
          aim.blocks[0]!.centred = true;
          setStyle([0], style)(aim);
          setMark(bold, 'bold')(aim);
          setLinkTo(linked, url)(aim);
          setStyle([2, 3], list)(aim);
          aim.blocks.push(plainBlock(text));
        },
      };
    },
  },
];
