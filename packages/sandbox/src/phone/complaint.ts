/**
 * Returns the error that a program of Android prints; undefined where there is none. Exit statuses tell nothing. Some
 * phones print harmless exceptions of reading files; only those of `java.lang` count.
 */
export function complaint(output: string): string | undefined {
  const line =
    /^\s*Error: .*$/m.exec(output) ??
    /^.*\bjava\.lang\.\w*Exception.*$/m.exec(output) ??
    /^\s*Error\b.*$/m.exec(output);
  return line?.[0].trim();
}
