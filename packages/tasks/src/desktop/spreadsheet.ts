import { XMLParser } from 'fast-xml-parser';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';

export interface Cell {
  readonly text: string;
  /** Only for numbers. */
  readonly value: number | undefined;
  /** Without the language prefix, such as `=SUM([.B2:.B5])`. */
  readonly formula: string | undefined;
  readonly bold: boolean;
}

export interface Sheet {
  readonly name: string;
  /** Without trailing empty rows and cells. */
  readonly rows: readonly (readonly Cell[])[];
}

export type Value = string | number;

/** Larger files are cut, since repeat counts may be huge. */
const limits = { rows: 400, columns: 60 };

/** Limit of an unpacked part of a file. */
const maxBytes = 20 * 2 ** 20;

const empty: Cell = { text: '', value: undefined, formula: undefined, bold: false };

/** Writes an OpenDocument spreadsheet (`.ods`) with deterministic bytes. */
export function writeSheets(
  sheets: readonly { readonly name: string; readonly rows: readonly (readonly Value[])[] }[],
): Uint8Array {
  const cell = (value: Value) => {
    if (typeof value === 'number')
      return `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`;
    return value === ''
      ? '<table:table-cell/>'
      : `<table:table-cell office:value-type="string"><text:p>${escaped(value)}</text:p></table:table-cell>`;
  };
  const row = (cells: readonly Value[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`;
  const table = ({ name, rows }: (typeof sheets)[number]) =>
    `<table:table table:name="${escaped(name)}">${rows.map(row).join('')}</table:table>`;
  const content = `<?xml version="1.0" encoding="UTF-8"?>
<office:document-content ${namespaces} office:version="1.3"><office:body><office:spreadsheet>${sheets.map(table).join('')}</office:spreadsheet></office:body></office:document-content>`;
  const parts = {
    // OpenDocument requires this first and uncompressed, so that the type can be detected.
    mimetype: [strToU8(mediaType), { level: 0 }],
    'content.xml': strToU8(content),
    'META-INF/manifest.xml': strToU8(manifest),
  } as const;
  return zipSync({ ...parts, mimetype: [parts.mimetype[0], { level: 0 }] }, { mtime: '2000-01-01T00:00:00' });
}

/** Parses an OpenDocument spreadsheet; undefined if malformed. */
export function readSheets(bytes: Uint8Array): Sheet[] | undefined {
  try {
    const parts = unzipSync(bytes, {
      filter: ({ name, originalSize }) => name === 'content.xml' && originalSize <= maxBytes,
    });
    const content = parts['content.xml'];
    if (content === undefined) return undefined;
    const document = parser.parse(strFromU8(content)) as Content;
    const inside = document['office:document-content'];
    const bold = boldStyles(inside?.['office:automatic-styles']?.['style:style'] ?? []);
    const tables = inside?.['office:body']?.['office:spreadsheet']?.['table:table'] ?? [];
    return tables.map((table) => ({ name: table['@table:name'] ?? '', rows: rowsOf(table, bold) }));
  } catch {
    // Any other content was not saved by Calc.
    return undefined;
  }
}

/** Returns the cell at a place such as `B7`; an empty one if absent. */
export function cellAt(sheet: Sheet | undefined, place: string): Cell {
  const [, letters = 'A', row = '1'] = /^([A-Z])(\d+)$/.exec(place) ?? [];
  return sheet?.rows[Number(row) - 1]?.[letters.charCodeAt(0) - 65] ?? empty;
}

export const textsOf = (sheet: Sheet | undefined): string[][] =>
  (sheet?.rows ?? []).map((row) => row.map(({ text }) => text));

/** Returns a column's letter, counted from 0. */
export const columnName = (column: number): string => String.fromCharCode(65 + column);

const mediaType = 'application/vnd.oasis.opendocument.spreadsheet';
const namespaces = ['office', 'table', 'text', 'style', 'fo']
  .map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'fo' ? 'xsl-fo-compatible' : name}:1.0"`,
  )
  .join(' ');
const manifest = `<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">
<manifest:file-entry manifest:full-path="/" manifest:media-type="${mediaType}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>
</manifest:manifest>`;

const lists: ReadonlySet<string> = new Set([
  'table:table',
  'table:table-row',
  'table:table-cell',
  'table:table-column',
  'text:p',
  'style:style',
]);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  isArray: (name) => lists.has(name),
});

type Attributes = Readonly<Record<`@${string}`, string | undefined>>;

type Paragraph = string | (Attributes & { readonly '#text'?: string });

type CellElement = Attributes & { readonly 'text:p'?: readonly Paragraph[] };
type RowElement = Attributes & { readonly 'table:table-cell'?: readonly (CellElement | string)[] };

type TableElement = Attributes & {
  readonly 'table:table-column'?: readonly (Attributes | string)[];
  readonly 'table:table-row'?: readonly (RowElement | string)[];
};

type StyleElement = Attributes & { readonly 'style:text-properties'?: Attributes };

interface Content {
  readonly 'office:document-content'?: {
    readonly 'office:automatic-styles'?: { readonly 'style:style'?: readonly StyleElement[] };
    readonly 'office:body'?: { readonly 'office:spreadsheet'?: { readonly 'table:table'?: readonly TableElement[] } };
  };
}

function boldStyles(styles: readonly StyleElement[]): ReadonlySet<string> {
  const bold = styles.filter((style) => style['style:text-properties']?.['@fo:font-weight'] === 'bold');
  return new Set(bold.flatMap((style) => style['@style:name'] ?? []));
}

function rowsOf(table: TableElement, bold: ReadonlySet<string>): Cell[][] {
  const columns = expanded(table['table:table-column'] ?? [], '@table:number-columns-repeated', limits.columns);
  const columnStyles = columns.map((column) => column['@table:default-cell-style-name']);
  const rows = expanded(table['table:table-row'] ?? [], '@table:number-rows-repeated', limits.rows).map((row) => {
    const cells = expanded(row['table:table-cell'] ?? [], '@table:number-columns-repeated', limits.columns);
    const read = cells.map((cell, column) => {
      const style = cell['@table:style-name'] ?? row['@table:default-cell-style-name'] ?? columnStyles[column];
      return cellOf(cell, style !== undefined && bold.has(style));
    });
    return cut(read, ({ text }) => text === '');
  });
  return cut(rows, (row) => row.length === 0);
}

function cellOf(cell: CellElement, bold: boolean): Cell {
  const number = cell['@office:value'];
  return {
    text: (cell['text:p'] ?? []).map((part) => (typeof part === 'string' ? part : (part['#text'] ?? ''))).join('\n'),
    value: number === undefined ? undefined : Number(number),
    formula: cell['@table:formula']?.replace(/^\w+:/, ''),
    bold,
  };
}

/** Repeats elements by their repeat counts, empty ones too. */
function expanded<Element extends Attributes>(
  elements: readonly (Element | string)[],
  repeated: `@${string}`,
  limit: number,
): Element[] {
  const expandedElements: Element[] = [];
  for (const element of elements) {
    const whole = typeof element === 'string' ? ({} as Element) : element;
    const times = Number(whole[repeated] ?? 1);
    for (let time = 0; time < times && expandedElements.length < limit; time++) expandedElements.push(whole);
  }
  return expandedElements;
}

/** Drops empty items at the end. */
function cut<T>(items: readonly T[], isEmpty: (item: T) => boolean): T[] {
  return items.slice(0, items.findLastIndex((item) => !isEmpty(item)) + 1);
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
