/** Wraps a generator to never repeat a word. */
export function distinct(draw: () => string): () => string {
  const used = new Set<string>();
  return () => {
    for (;;) {
      const word = draw();
      if (used.has(word)) continue;
      used.add(word);
      return word;
    }
  };
}
