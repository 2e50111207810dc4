/**
 * Splits a thought for formats that print it in two parts: the last paragraph tells the next action, the paragraphs
 * before it are the reasoning.
 */
export function splitThought(thought: string): { readonly reasoning: string | undefined; readonly step: string } {
  const end = thought.lastIndexOf('\n\n');
  return end < 0
    ? { reasoning: undefined, step: thought }
    : { reasoning: thought.slice(0, end), step: thought.slice(end + 2) };
}

/** Inverts {@link splitThought}; undefined without text. */
export function joinThought(parts: readonly (string | undefined)[]): string | undefined {
  const texts = parts.map((part) => part?.trim() ?? '').filter((text) => text !== '');
  return texts.length === 0 ? undefined : texts.join('\n\n');
}
