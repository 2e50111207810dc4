const stopWords = new Set('a an and at by for in is it of on the to was were which who whose with'.split(' '));

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/(\d),(?=\d)/g, '$1')
      .match(/[a-z0-9²]+/g) ?? []
  );
}

/** Removes stop words and plural s. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const word of wordsOf(text)) {
    if (stopWords.has(word)) continue;
    terms.push(word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word);
  }
  return terms;
}
