import { GyreError } from '@gyre/protocol';
import { parse } from 'secure-json-parse';

/** Approximated by brackets, commas and colons outside strings. */
const maxValues = 100_000;
const deepest = 64;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [bracket, brace, endBracket, endBrace] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Parses untrusted JSON. The number of values bounds the cost of transfer and validation: large texts are mostly one
 * string. Throws `bad_input`.
 */
export function parseJson(bytes: Uint8Array): unknown {
  checkShape(bytes);
  try {
    return parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as unknown;
  } catch (error) {
    throw new GyreError('bad_input', `the body is not JSON: ${(error as Error).message.slice(0, 200)}`, {
      field: 'body',
      fix: 'send JSON',
    });
  }
}

function checkShape(bytes: Uint8Array): void {
  let values = 0;
  let depth = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === quote) index = endOfString(bytes, index);
    else if (byte === comma || byte === colon) values += 1;
    else if (byte === bracket || byte === brace) {
      values += 1;
      if (++depth > deepest) throw refusal(`is nested deeper than ${deepest}`);
    } else if (byte === endBracket || byte === endBrace) depth -= 1;
    if (values > maxValues) throw refusal(`has more than ${maxValues} values`);
  }
}

function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let before = end;
    while (bytes[before - 1] === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return bytes.length;
}

const refusal = (what: string): GyreError =>
  new GyreError('bad_input', `the body ${what}`, { field: 'body', fix: 'send less in one request' });
