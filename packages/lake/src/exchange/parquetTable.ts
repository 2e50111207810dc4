import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';

/** Values and elements may be null. `image` is decoded by `datasets`. */
export type ColumnType =
  | 'string'
  | 'int64'
  | 'float64'
  | 'bool'
  | 'binary'
  | 'image'
  | { readonly list: ColumnType }
  | { readonly struct: Readonly<Record<string, ColumnType>> };

export type Columns = Readonly<Record<string, ColumnType>>;

const imageStruct: ColumnType = { struct: { bytes: 'binary', path: 'string' } };

/** Encodes an `int64` from a bigint, an `image` from `{ bytes, path }`. */
export function encodeTable(columns: Columns, rows: readonly Readonly<Record<string, unknown>>[]): Uint8Array {
  const names = Object.keys(columns);
  const schema: SchemaElement[] = [
    { name: 'root', num_children: names.length },
    ...names.flatMap((name) => elements(name, columns[name]!)),
  ];
  const columnData = names.map((name) => ({ name, data: rows.map((row) => row[name] ?? null) }));
  return new Uint8Array(parquetWriteBuffer({ columnData, schema, statistics: false, createdBy: 'gyre lake 1' }));
}

const primitives: Readonly<Record<string, Omit<SchemaElement, 'name'>>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  binary: { type: 'BYTE_ARRAY' },
  int64: { type: 'INT64' },
  float64: { type: 'DOUBLE' },
  bool: { type: 'BOOLEAN' },
};

function elements(name: string, type: ColumnType): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  if (type === 'image') return elements(name, imageStruct);
  if (typeof type === 'string') return [{ ...optional, ...primitives[type] }];
  if ('struct' in type) {
    const fields = Object.entries(type.struct);
    return [{ ...optional, num_children: fields.length }, ...fields.flatMap(([field, of]) => elements(field, of))];
  }
  return [
    { ...optional, converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...elements('element', type.list),
  ];
}

export function featuresYaml(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, type]) => `    - name: ${name}\n${feature(type, '      ')}`)
    .join('\n');
}

function feature(type: ColumnType, indent: string): string {
  if (typeof type === 'string') return `${indent}dtype: ${type}`;
  const key = 'list' in type ? 'list' : 'struct';
  const inner = 'list' in type ? type.list : type;
  if (typeof inner === 'string') return `${indent}${key}: ${inner}`;
  if ('list' in inner) return `${indent}${key}:\n${feature(inner, `${indent}  `)}`;
  const fields = Object.entries(inner.struct).map(
    ([name, of]) => `${indent}- name: ${name}\n${feature(of, `${indent}  `)}`,
  );
  return `${indent}${key}:\n${fields.join('\n')}`;
}
