/**
 * Returns the error that a program of Android prints; undefined where there is none. Exit statuses tell nothing. Some
 * phones print harmless exceptions of reading files; only those of `java.lang` count.
 */
export function complaint(said: string): string | undefined {
  const found =
    /^\s*Error: .*$/m.exec(said) ?? /^.*\bjava\.lang\.\w*Exception.*$/m.exec(said) ?? /^\s*Error\b.*$/m.exec(said);
  return found?.[0].trim();
}
