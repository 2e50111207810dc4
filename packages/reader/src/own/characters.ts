import { GyreError } from '@gyre/protocol';

const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));

/** Punctuation, currency, arrows, marks and accented letters of user interfaces. */
const signs =
  '£¥€±²×÷·°©®™–—‘’“”…‹›«»•←↑→↓★☆✓✔✗✕●○■□▲▼▶◀▾▸、。「」《》【】！（），：；？～￥％＋－／' +
  'àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿœßÀÁÂÄÅÇÈÉÊËÍÎÑÓÔÖØÚÜ¿¡';

/** Characters of names and labels outside the first level of GB 2312. */
const moreHanzi = '怡琪婷梓萱曦琥珀钴鹭昵罄浏嘿呗嗨璇睿翔瑜瑾晗昊炜烨鑫淼焱甄祺岚婕妤阈喵囧榴菠柠檬芒橄榄';

/**
 * Returns the characters that the reader knows, the space first: ASCII, signs, and the 3,755 characters of GB 2312's
 * first level, which cover 99.7 % of modern Chinese text.
 */
export function readerCharacters(): readonly string[] {
  return [...new Set([...ascii, ...signs, ...gb2312(), ...moreHanzi])];
}

/** Decodes rows 16 to 55. */
function gb2312(): string[] {
  const bytes: number[] = [];
  for (let row = 0xb0; row <= 0xd7; row++) {
    for (let column = 0xa1; column <= (row === 0xd7 ? 0xf9 : 0xfe); column++) bytes.push(row, column);
  }
  try {
    return [...new TextDecoder('gb18030', { fatal: true }).decode(Uint8Array.from(bytes))];
  } catch (cause) {
    throw new GyreError('missing', 'this Node.js cannot decode GB 2312', {
      field: 'TextDecoder',
      fix: 'use a Node.js with full ICU data, as the official builds have',
      cause,
    });
  }
}
