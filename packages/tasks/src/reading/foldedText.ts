const quotes: Readonly<Record<string, string>> = { '‘': "'", '’': "'", '“': '"', '”': '"' };

/** Folds full-width forms and typographic quotes, which readers and pages write differently. */
export function foldedText(text: string): string {
  return text.normalize('NFKC').replaceAll(/[‘’“”]/g, (quote) => quotes[quote]!);
}
