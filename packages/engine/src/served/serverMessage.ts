import { stripVTControlCharacters } from 'node:util';

/** In reading order: FastAPI's `loc` before `msg`. */
const errorFields = [
  'error',
  'errors',
  'message',
  'detail',
  'loc',
  'msg',
  'metadata',
  'raw',
  'error_description',
  'title',
];

const longest = 400;
const deepest = 8;

/** Extracts an error from JSON, HTML or text as one line of at most 400 characters. A Python traceback's is its last exception. */
export function serverMessage(body: string): string {
  const json = parseServerJson(body);
  const message = json === undefined ? pageText(body) : wordsIn(json).join(': ') || body;
  const line = lastException(stripVTControlCharacters(message))
    .slice(0, 8 * longest)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}...` : line;
}

/** Frames of a traceback are indented, its exception is not. */
function lastException(text: string): string {
  const lines = text.split('\n');
  const frame = lines.findLastIndex((line) => /^\s+File ".*", line \d+/.test(line));
  const rest = lines.slice(frame + 1);
  const exception = rest.slice(rest.findIndex((line) => /^\S/.test(line))).join('\n');
  return frame < 0 || exception.trim() === '' ? text : exception;
}

function wordsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (typeof value !== 'object' || value === null || depth > deepest) return [];
  if (Array.isArray(value)) return value.slice(0, 4).flatMap((each) => wordsIn(each, depth + 1));
  const phrases = errorFields.flatMap((name) => wordsIn((value as Record<string, unknown>)[name], depth + 1));
  return [...new Set(phrases)];
}

function pageText(body: string): string {
  const page = body.slice(0, 100_000);
  if (!/^\s*<(!doctype|html|head|body|\?xml)/i.test(page)) return page;
  return page.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
}

const pythonNumber = /("[^"\\]*(?:\\.[^"\\]*)*")|-?\b(?:NaN|Infinity)\b/gs;

/** Returns undefined for invalid JSON. Python's NaN and Infinity become null. */
export function parseServerJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (!/NaN|Infinity/.test(text)) return undefined;
  }
  try {
    return JSON.parse(text.replace(pythonNumber, (_, string?: string) => string ?? 'null')) as unknown;
  } catch {
    return undefined;
  }
}
