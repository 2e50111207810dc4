import type { Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';
import type { Language } from './lexicon.js';

/** English and Chinese; `|` separates synonyms. */
export type WordTable<Key extends string = string> = Readonly<Record<Key, readonly [en: string, zh: string]>>;

export type AppWords<Key extends string = string> = Readonly<Record<Key, string>>;

/** Chooses among synonyms. Of three or more, the last is never in train. */
export function drawWords<Key extends string>(
  random: Random,
  split: Split,
  language: Language,
  table: WordTable<Key>,
): AppWords<Key> {
  const drawn = Object.entries<readonly [string, string]>(table).map(([key, [en, zh]]) => {
    const choices = (language === 'en' ? en : zh).split('|');
    return [key, random.pick(split === 'train' && choices.length > 2 ? choices.slice(0, -1) : choices)];
  });
  return Object.fromEntries(drawn) as AppWords<Key>;
}
