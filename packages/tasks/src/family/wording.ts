/** Fills in a wording: `{name}` is quoted with `quotes`, `[name]` is not. Throws `RangeError` if a text is missing. */
export function fillWording(
  wording: string,
  texts: Readonly<Record<string, string | number>>,
  [before, after]: readonly [string, string] = ['', ''],
): string {
  return wording.replace(/\{([\w ]+)\}|\[(\w+)\]/g, (_, quoted: string | undefined, bare: string) => {
    const text = texts[quoted ?? bare];
    if (text === undefined) throw new RangeError(`"${wording}" needs "${quoted ?? bare}", which is not provided`);
    return quoted === undefined ? String(text) : `${before}${text}${after}`;
  });
}
