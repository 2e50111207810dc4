import { browsingFamilies, families } from '@gyre/tasks';
import { describe, expect, it } from 'vitest';
import { searchBy } from './search.js';

const model = 'http://127.0.0.1:8000/v1';
const taskOf = (family: string) => {
  const definition = { ...families, ...browsingFamilies }[family];
  if (!definition) throw new Error(family);
  return definition.create('dev', 5).task;
};

describe('search of a model', () => {
  it('is the encyclopaedia of a browsing task that needs it', async () => {
    const searchOf = searchBy({ search: 'tasks', model });
    const task = taskOf('browse.lookup');
    const corpus = searchOf(task);
    const [page] = (await corpus?.search(task.instruction))?.results ?? [];
    if (!page) throw new Error(`nothing was found for ${task.instruction}`);
    expect(await corpus?.read(page.url)).toContain(page.title);
    expect(searchOf(taskOf('browse.navigate'))).toBeUndefined();
    expect(searchOf(taskOf('click'))).toBeUndefined();
  });

  it('is off by default', () => {
    expect(searchBy({ model })(taskOf('browse.lookup'))).toBeUndefined();
    expect(searchBy({ search: 'http://127.0.0.1:8888', model })(taskOf('click'))).toBeDefined();
  });

  it.each([
    [{ search: 'tasks' }, '--search'],
    [{ search: 'duck', model }, '--search'],
    [{ search: 'http://127.0.0.1:8888', reader: 'reader', model }, '--reader'],
    [{ reader: 'http://127.0.0.1:8889', model }, '--reader'],
    [{ search: 'tasks', reader: 'http://127.0.0.1:8889', model }, '--reader'],
  ])('is not %j', (flags, field) => {
    const detail = expect.objectContaining({ field }) as object;
    expect(() => searchBy(flags)).toThrow(expect.objectContaining({ code: 'bad_input', detail }));
  });
});
