import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edited } from './edit.js';

const text = 'one\ntwo\ntwo\nthree';

describe('edits', () => {
  it.each([
    [{ replace: 'one\n', with: '' }, 'two\ntwo\nthree', 1],
    [{ replace: 'two\nthree', with: '$& 2' }, 'one\ntwo\n$& 2', 3],
    [{ insert: 'zero', afterLine: 0 }, 'zero\none\ntwo\ntwo\nthree', 1],
    [{ insert: 'a\nb\n', afterLine: 1 }, 'one\na\nb\ntwo\ntwo\nthree', 2],
    [{ insert: 'four', afterLine: 4 }, 'one\ntwo\ntwo\nthree\nfour', 5],
  ])('%j', (edit, after, line) => expect(edited(text, edit)).toEqual({ text: after, line }));

  it('begin a file, and keep its last line break', () => {
    expect(edited('', { insert: 'a', afterLine: 0 }).text).toBe('a');
    expect(edited('a\n', { insert: 'b', afterLine: 1 }).text).toBe('a\nb\n');
  });

  it.each([
    [{ replace: 'two', with: '' }, 'replace', 'occurs 2 times: lines 2, 3'],
    [{ replace: 'four', with: '' }, 'replace', 'does not occur'],
    [{ replace: '', with: '' }, 'replace', 'is empty'],
    [{ insert: '', afterLine: 5 }, 'afterLine', 'there is no line 5'],
    [{ insert: '', afterLine: 0.5 }, 'afterLine', 'there is no line 0.5'],
  ])('%j is refused', (edit, field, message) => {
    const detail = expect.objectContaining({ field }) as object;
    const error = expect.objectContaining({ code: 'bad_input', detail }) as Error;
    expect(() => edited(text, edit)).toThrow(error);
    expect(() => edited(text, edit)).toThrow(message);
  });

  it('distinguish different whitespace from missing text', () => {
    const fix = (replace: string): string => {
      try {
        edited('if (a) {\n\tb();\n}', { replace, with: '' });
      } catch (error) {
        return (error as { detail: { fix: string } }).detail.fix;
      }
      return '';
    };
    expect(fix('if (a) {\n  b();')).toContain('different whitespace');
    expect(fix('c();')).toContain('read the file');
  });

  it('count overlapping occurrences', () => {
    expect(() => edited('aaa', { replace: 'aa', with: '' })).toThrow(/occurs 2 times/);
  });

  it('replace only unique occurrences', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string({ minLength: 1 }),
        fc.string(),
        fc.string(),
        (before, old, after, replacement) => {
          const whole = before + old + after;
          fc.pre(whole.indexOf(old) === whole.lastIndexOf(old));
          expect(edited(whole, { replace: old, with: replacement }).text).toBe(before + replacement + after);
        },
      ),
    );
  });
});
