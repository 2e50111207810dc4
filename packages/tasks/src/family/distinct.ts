/** Wraps a generator to never repeat a word. */
export function distinct(draw: () => string): () => string {
  const given = new Set<string>();
  return () => {
    for (;;) {
      const word = draw();
      if (given.has(word)) continue;
      given.add(word);
      return word;
    }
  };
}
