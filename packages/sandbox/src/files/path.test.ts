import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesOf } from './path.js';

const home = '/home/agent';
const badInput = expect.objectContaining({ code: 'bad_input' }) as Error;

describe('paths', () => {
  it.each([
    ['a/b.txt', ['a', 'b.txt']],
    ['./a//b/', ['a', 'b']],
    ['', []],
    ['.', []],
    [home, []],
    [`${home}/a`, ['a']],
    ['a/../b', ['a', '..', 'b']],
    ['~', ['~']],
    ['中 文\n', ['中 文\n']],
  ])('%j is %j', (path, names) => expect(namesOf(path, home)).toEqual(names));

  it.each([
    '/etc/passwd',
    '/',
    '/home',
    '/home/agents',
    '//home/agent',
    'a\0b',
    '\ud800',
    'x'.repeat(256),
    'a/'.repeat(2_100),
  ])('refuse %j', (path) => expect(() => namesOf(path, home)).toThrow(badInput));

  it('are inside, or refused, whatever they are', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', '/', 'home', 'agent', 'a', '\0', '~'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom('', '/', `${home}/`), (parts, start) => {
        const path = start + parts.join('/');
        let names;
        try {
          names = namesOf(path, home);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_input', detail: { field: 'path' } });
          return;
        }
        for (const name of names) {
          expect(name).not.toMatch(/[\0/]/);
          expect(['', '.']).not.toContain(name);
        }
        expect(posix.join(home, ...names)).toBe(posix.resolve(home, path));
      }),
      { numRuns: 500 },
    );
  });
});
