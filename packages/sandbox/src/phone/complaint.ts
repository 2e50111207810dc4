/**
 * What a program of Android complains of; undefined where it does not. Its exit status says nothing: some end well with an
 * error. Some makers' phones print harmless exceptions of reading files before all else; those that count are of `java.lang`.
 */
export function complaint(said: string): string | undefined {
  const found =
    /^\s*Error: .*$/m.exec(said) ?? /^.*\bjava\.lang\.\w*Exception.*$/m.exec(said) ?? /^\s*Error\b.*$/m.exec(said);
  return found?.[0].trim();
}
