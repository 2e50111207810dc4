import { GyreError } from '@gyre/protocol';
import { maxMessage, type Tool } from './tool.js';

/** Leaves room for the rest. */
const maxBytes = maxMessage / 2;

/**
 * Throws `bad_input` for missing, unknown or mistyped arguments. The server checks the rest: an untrusted schema's
 * patterns could block this process.
 */
export function checkArguments({ name, inputSchema }: Tool, args: unknown): void {
  const fields = jsonObject(args);
  if (fields === undefined) {
    throw new GyreError('bad_input', `the arguments of ${name} are not a JSON object`, {
      field: 'args',
      fix: `use an object of at most ${maxBytes} bytes`,
    });
  }
  const schemas = isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const known = Object.keys(schemas);
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  for (const missing of required) {
    if (typeof missing !== 'string' || Object.hasOwn(fields, missing)) continue;
    throw refusal(name, missing, 'is missing', `use ${expected(schemaOf(schemas, missing))}`);
  }
  for (const [field, value] of Object.entries(fields)) {
    const schema = schemaOf(schemas, field);
    if (schema === undefined) {
      if (inputSchema.additionalProperties !== false || Object.hasOwn(inputSchema, 'patternProperties')) continue;
      throw refusal(name, field, 'is unknown', `the arguments are ${known.join(', ') || 'none'}`);
    }
    if (fits(value, schema)) continue;
    throw refusal(name, field, `is ${JSON.stringify(value).slice(0, 80)}`, `use ${expected(schema)}`);
  }
}

function refusal(tool: string, argument: string, problem: string, fix: string): GyreError {
  return new GyreError('bad_input', `${tool}: ${argument} ${problem}`, { field: `args.${argument}`, fix });
}

function jsonObject(args: unknown): Record<string, unknown> | undefined {
  if (!isRecord(args)) return undefined;
  try {
    const text = JSON.stringify(args);
    const carried: unknown = Buffer.byteLength(text) > maxBytes ? undefined : JSON.parse(text);
    return isRecord(carried) ? carried : undefined;
  } catch {
    return undefined;
  }
}

type Schema = Readonly<Record<string, unknown>>;

function schemaOf(schemas: Schema, field: string): Schema | undefined {
  if (!Object.hasOwn(schemas, field)) return undefined;
  const schema = schemas[field];
  return isRecord(schema) ? schema : {};
}

function fits(value: unknown, schema: Schema): boolean {
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOf(type, value))) return false;
  const allowed = schema.enum;
  return !Array.isArray(allowed) || (value !== null && typeof value === 'object') || allowed.includes(value);
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

function expected(schema: Schema | undefined): string {
  const allowed = schema?.enum;
  if (Array.isArray(allowed)) return `one of ${JSON.stringify(allowed).slice(0, 200)}`;
  return typesOf(schema ?? {}).join(' or ') || 'it';
}

function typesOf({ type }: Schema): unknown[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
