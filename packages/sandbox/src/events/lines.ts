import type { Readable } from 'node:stream';

const longest = 4_096;

/** Calls `hear` with each line, truncated. */
export function readLines(stream: Readable, hear: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, longest);
    for (const line of lines) if (line !== '') hear(line.slice(0, longest));
  });
  stream.on('error', () => undefined);
}
