import { BrowserPool, type BrowserSession } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Word } from './word.js';
import { noReadingNoise } from './noise.js';
import { wordLines } from './wordLines.js';
import { wordsOf } from './words.js';

let pool: BrowserPool;
let session: BrowserSession;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
  session = await pool.lease({ size: { width: 320, height: 240 } });
});
afterAll(() => pool.close());

async function wordsIn(body: string, style = ''): Promise<Word[]> {
  const common = 'body{margin:0;font:16px/20px "Liberation Mono",monospace}';
  await session.browser.open({ html: `<!doctype html><style>${common}${style}</style><body>${body}`, seed: 1 });
  await session.screen.observe();
  return wordsOf(session);
}

const covered = '<p style="margin:0;position:absolute;left:0;top:0">abcdef below</p>';

const textsIn = async (body: string, style?: string) => (await wordsIn(body, style)).map(({ text }) => text);

test('words have the places of their characters', async () => {
  const [first, second] = await wordsIn('<p style="position:absolute;left:40px;top:50px;margin:0">two words</p>');
  expect(first).toMatchObject({ text: 'two', fontSize: 16 });
  expect(first?.edges[0]).toBeCloseTo(40, 0);
  expect(first!.top + first!.height / 2).toBeCloseTo(60, 0);
  const width = (first!.edges[3]! - first!.edges[0]!) / 3;
  expect(first?.edges.map((edge) => Math.round((edge - 40) / width))).toEqual([0, 1, 2, 3]);
  expect(second?.edges[0]).toBeCloseTo(40 + 4 * width, 0);
  expect(second?.edges).toHaveLength(6);
});

test.each([
  ['hidden', '<p hidden>a</p><p style="visibility:hidden">b</p><div style="opacity:0"><p>c</p></div>', []],
  ['transparent', '<p style="color:transparent">a</p><p>b</p>', ['b']],
  ['outside of the screen', '<p style="position:absolute;top:300px">a</p><p>b</p>', ['b']],
  ['not drawn', '<script>a</script><style>b</style><template>c</template><!-- d -->', []],
  ['on a canvas', '<canvas>text</canvas>', []],
  ['scrolled away', '<div style="height:25px;overflow:hidden"><div>a</div><div>b</div></div>', ['a']],
  ['in capitals', '<p style="text-transform:uppercase">straße</p>', ['STRASSE']],
])('text that is %s', async (_, body, words) => {
  expect(await textsIn(body)).toEqual(words);
});

test('text is cut off where its element ends, with an ellipsis if it has one', async () => {
  const style = 'p{width:68px;overflow:hidden;white-space:nowrap;margin:0}';
  expect(await textsIn('<p>abcdefghijkl</p>', style)).toEqual(['abcdefg']);
  expect(await textsIn('<p style="text-overflow:ellipsis">abcdefghijkl</p>', style)).toEqual(['abcde…']);
  expect(await textsIn('<p style="text-overflow:ellipsis">abcdef ghijkl</p>', style)).toEqual(['abcde…']);
  expect(await textsIn('<p style="text-overflow:ellipsis">abc</p>', style)).toEqual(['abc']);
});

test('a word that a border or another element cuts off is clipped; a shortened or broken one is not', async () => {
  const words = [
    ...(await wordsIn('<p>abc defghijk</p>', 'p{width:68px;overflow:hidden;white-space:nowrap}')),
    ...(await wordsIn(`${covered}<div style="position:absolute;inset:0 0 0 29px;background:#fff"></div>`)),
    ...(await wordsIn('<p>ijklmnop</p>', 'p{width:48px;overflow:hidden;text-overflow:ellipsis}')),
    ...(await wordsIn('<p style="width:80px">请看一下自行车评审</p>')),
  ];
  expect(words.map(({ text, clipped = false }) => [text, clipped])).toEqual([
    ...[
      ['abc', false],
      ['def', true],
      ['abc', true],
      ['ijk…', false],
    ],
    ...[
      ['请看一下自', false],
      ['行车评审', false],
    ],
  ]);
});

test('a broken word has one part in each line', async () => {
  const chinese = await wordsIn('<p style="width:80px;margin:0">请看一下自行车评审</p>');
  expect(chinese.map(({ text }) => text)).toEqual(['请看一下自', '行车评审']);
  expect(chinese[1]!.top - chinese[0]!.top).toBe(20);
});

test('text under another element is not visible, nor is the covered part of a word', async () => {
  const cover = (style: string) => `${covered}<div style="position:absolute;inset:0;${style}"></div>`;
  expect(await textsIn(cover('background:#fff'))).toEqual([]);
  expect(await textsIn(cover('background:rgba(0,0,0,.4)'))).toEqual(['abcdef', 'below']);
  expect(await textsIn(cover('background:#fff;pointer-events:none'))).toEqual([]);
  expect(await textsIn(cover('background:#fff;z-index:-1'))).toEqual(['abcdef', 'below']);
  expect(await textsIn(cover('background:#fff;left:29px'))).toEqual(['abc']);
});

test('a dialog covers text, but its backdrop does not', async () => {
  const veil = 'position:absolute;inset:0;background:rgba(0,0,0,.4)';
  const dialog = '<div style="width:60px;height:20px;background:#fff">ask</div>';
  expect(await textsIn(`${covered}<div style="${veil}">${dialog}</div>`)).toEqual(['below', 'ask']);
});

test('labels that the pointer passes through are visible', async () => {
  const tip = '<div style="position:absolute;left:0;top:0;background:#ff0;pointer-events:none">tip</div>';
  expect(await textsIn(`${covered}${tip}`)).toEqual(['def', 'below', 'tip']);
});

test('fields show their values, or their placeholders', async () => {
  const common =
    'style="position:absolute;left:20px;top:40px;width:200px;height:30px;padding:0 8px;border:2px solid;font:inherit"';
  const [value] = await wordsIn(`<input ${common} value="two words">`);
  expect(value?.text).toBe('two');
  expect(value?.edges[0]).toBeCloseTo(30, 0);
  expect(value!.top + value!.height / 2).toBeCloseTo(57, 0);
  expect(await textsIn(`<input ${common} placeholder="Search">`)).toEqual(['Search']);
  expect(await textsIn(`<input ${common} type="password" value="abc">`)).toEqual(['•••']);
  expect(await textsIn(`<input ${common} type="checkbox" value="yes">`)).toEqual([]);
  expect(await textsIn(`<select ${common}><option>one<option selected>two</select>`)).toEqual(['two']);
  expect(await textsIn(`<input ${common} value="${'x'.repeat(60)}">`)).toEqual([expect.stringMatching(/^x{20,22}$/)]);
  const area = await wordsIn(`<textarea ${common.replace('30px', '60px')}>the first line breaks\nthird</textarea>`);
  expect(area.map(({ text }) => text)).toEqual(['the', 'first', 'line', 'breaks', 'third']);
  expect(area.map(({ top }) => Math.round((top - area[0]!.top) / 20))).toEqual([0, 0, 0, 1, 2]);
});

test('text that style sheets generate is visible', async () => {
  const style = 'p{position:relative}p[data-n]::before{content:attr(data-n);position:absolute;left:50px;top:0}';
  const words = await wordsIn('<p data-n="7."></p><p></p>', style);
  expect(words).toMatchObject([{ text: '7.' }]);
  expect(words[0]?.edges[0]).toBeCloseTo(50, 0);
});

test('drawings have text at their own scale, unless it is rotated', async () => {
  const text = '<text x="10" y="20" font-size="10">park</text><text transform="rotate(90)" x="9" y="-9">street</text>';
  const words = await wordsIn(
    `<svg viewBox="0 0 100 100" width="200" height="200" style="position:absolute">${text}</svg>`,
  );
  expect(words).toMatchObject([{ text: 'park', fontSize: 20 }]);
});

test('a later screen of the page is measured anew', async () => {
  await wordsIn('<p>before</p>');
  await session.browser.evaluate(`document.querySelector('p').textContent = 'after that'`);
  expect((await wordsOf(session)).map(({ text }) => text)).toEqual(['after', 'that']);
});

test('words have the number of the box that is drawn around them', async () => {
  const style = 'span{border:1px solid;display:inline-block} em{background:#ff0} section{background:#eee}';
  const words = await wordsIn('a <em>b</em> <span>c d</span><span>e</span><section>f <div>g</div></section>', style);
  const frames = Object.fromEntries(words.map(({ text, frame }) => [text, frame]));
  expect(frames).toMatchObject({ a: undefined, b: undefined, d: frames.c, g: frames.f });
  expect(new Set([frames.c, frames.e, frames.f, undefined]).size).toBe(4);
  expect(wordLines(words, noReadingNoise, '').map((line) => line.map(({ text }) => text).join(' '))).toEqual([
    'a b',
    'c d',
    'e',
    'f',
    'g',
  ]);
});
