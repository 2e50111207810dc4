import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTaskList, readTaskList } from './task.js';

const task = { task_id: 'a1', confirmed_task: 'Buy it.', website: 'https://example.org/', reference_length: 4 };

const parse = (list: unknown) => parseTaskList(JSON.stringify(list), 'list.json');

test('reads the official fields, and completes an address', () => {
  const [first, second] = parse([
    { ...task, level: 'hard', added: 'later' },
    { ...task, task_id: 'b', website: 'example.org/shop' },
  ]);
  expect(first).toMatchObject({ ...task, level: 'hard' });
  expect(second?.website).toBe('https://example.org/shop');
});

test.each([
  ['a path as id', [{ ...task, task_id: '../a' }], '0.task_id'],
  ['no task', [{ ...task, confirmed_task: '' }], '0.confirmed_task'],
  ['another scheme', [{ ...task, website: 'file:///etc/passwd' }], '0.website'],
  ['another length', [{ ...task, reference_length: '4' }], '0.reference_length'],
  ['another level', [task, { ...task, level: 'odd' }], '1.level'],
  ['an id twice', [task, task], 'a1 twice'],
  ['no list', {}, 'invalid list'],
])('refuses %s', (_, list, problem) => {
  expect(() => parse(list)).toThrow(
    expect.objectContaining({
      code: 'bad_input',
      message: expect.stringContaining(problem),
      detail: expect.objectContaining({ field: '--mind2web' }),
    }),
  );
});

test('reads or refuses any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        expect(parseTaskList(text, 'x').length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(GyreError);
        expect((error as GyreError).code).toBe('bad_input');
      }
    }),
  );
});

test('refuses a file that is not there', async () => {
  await expect(readTaskList('/missing/list.json')).rejects.toMatchObject({ code: 'bad_input' });
});
