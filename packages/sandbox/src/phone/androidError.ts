/**
 * Returns the error that an Android program prints: exit statuses are meaningless. Some phones print harmless file
 * exceptions, so only `java.lang`'s count.
 */
export function androidError(output: string): string | undefined {
  const line =
    /^\s*Error: .*$/m.exec(output) ??
    /^.*\bjava\.lang\.\w*Exception.*$/m.exec(output) ??
    /^\s*Error\b.*$/m.exec(output);
  return line?.[0].trim();
}
