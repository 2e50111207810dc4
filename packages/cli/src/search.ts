import { type SearchService, searxng } from '@gyre/agent';
import { GyreError, type Task } from '@gyre/protocol';
import { corpusOf } from '@gyre/tasks';
import { address } from './flag.js';

/** The flags that say where a model may search beside the screen. */
export const searchFlags = {
  search: address(
    'where a model (--model) may search and read pages beside the screen: "tasks" for the encyclopaedia of each browsing task, or the address of a SearXNG (default: nowhere)',
    { default: undefined },
  ),
  reader: address(
    'address of a service that gives a page as text where the address of the page is put behind its own',
    {
      default: undefined,
    },
  ),
};

/**
 * The search of a task, by the flags; undefined where it has none.
 *
 * @throws GyreError `bad_input` for addresses that are none, and flags that do not go together.
 */
export function searchBy({
  search,
  reader,
  model,
}: {
  readonly search?: string | undefined;
  readonly reader?: string | undefined;
  readonly model?: string | undefined;
}): (task: Task) => SearchService | undefined {
  if (reader !== undefined && (search === undefined || search === 'tasks'))
    throw refusal('--reader', '--reader reads what a SearXNG has found', 'give its address as --search');
  if (search === undefined) return () => undefined;
  if (model === undefined)
    throw refusal(
      '--search',
      'only a model behind a server can search',
      'say which, by --model, or leave --search out',
    );
  if (search === 'tasks') return corpusOf;
  const service = searxng({ url: search, reader });
  return () => service;
}

function refusal(field: string, problem: string, fix: string): GyreError {
  return new GyreError('bad_input', problem, { field, fix });
}
