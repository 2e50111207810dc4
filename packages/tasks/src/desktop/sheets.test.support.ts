import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { columnName, readSheets, type Value, writeSheets } from './spreadsheet.js';

export type Written = Value | { readonly formula: string; readonly value: number } | { readonly bold: Value };

export function sheetFile(
  sheets: readonly { readonly name: string; readonly rows: readonly (readonly Written[])[] }[],
): Uint8Array {
  const plain = sheets.map(({ name, rows }) => ({
    name,
    rows: rows.map((row) =>
      row.map((cell): Value => (typeof cell !== 'object' ? cell : 'bold' in cell ? cell.bold : cell.value)),
    ),
  }));
  const parts = unzipSync(writeSheets(plain));
  let content = strFromU8(parts['content.xml'] ?? new Uint8Array());
  const style =
    '<office:automatic-styles><style:style style:name="ce1" style:family="table-cell"><style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles>';
  content = content.replace('<office:body>', `${style}<office:body>`);
  const cells = sheets.flatMap(({ rows }) => rows.flat());
  let next = 0;
  content = content.replace(/<table:table-cell/g, (opening) => {
    const cell = cells[next++];
    if (typeof cell !== 'object') return opening;
    return 'bold' in cell ? `${opening} table:style-name="ce1"` : `${opening} table:formula="of:${cell.formula}"`;
  });
  return zipSync({ ...parts, 'content.xml': strToU8(content) });
}

/** Reads a sheet's rows as values. */
export function rowsOf(bytes: Uint8Array, sheet = 0): { name: string; rows: (string | number)[][] } {
  const read = readSheets(bytes)?.[sheet];
  return { name: read?.name ?? '', rows: (read?.rows ?? []).map((row) => row.map(({ value, text }) => value ?? text)) };
}

/** Returns a formula's range from row 2 of a column. */
export const range = (column: number, last: number): string =>
  `[.${columnName(column)}2:.${columnName(column)}${last}]`;
