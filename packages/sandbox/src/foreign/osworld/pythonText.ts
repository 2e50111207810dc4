/** Uses printable ASCII without double quotes, which Python, shells and Windows command lines all parse the same. */
export function pythonText(text: string): string {
  let literal = '';
  // By code units, so that lone surrogates survive.
  for (const character of text) literal += /^[ !#-&(-[\]-~]$/.test(character) ? character : escaped(character);
  return `'${literal}'`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = (digits: number) => code.toString(16).padStart(digits, '0');
  if (code < 0x100) return `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
