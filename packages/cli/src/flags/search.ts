import { type SearchService, searxng } from '@gyre/agent';
import { GyreError, type Task } from '@gyre/protocol';
import { corpusOf } from '@gyre/tasks';
import { address, headed } from './flag.js';

export const searchFlags = headed('Search:', {
  search: address(
    'give the model search: "tasks" for the encyclopaedia of each browsing task, or the URL of a SearXNG (default: none)',
    { default: undefined },
  ),
  reader: address('URL of a service that returns a page as text, given the page URL appended to its own', {
    default: undefined,
  }),
});

/** @throws GyreError `bad_input` for an invalid address or conflicting flags. */
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
    throw refusal('--reader', '--reader needs a SearXNG', 'add --search with its URL');
  if (search === undefined) return () => undefined;
  if (model === undefined)
    throw refusal('--search', '--search needs a model behind a server', 'add --model, or omit --search');
  if (search === 'tasks') return corpusOf;
  const service = searxng({ url: search, reader });
  return () => service;
}

function refusal(field: string, problem: string, fix: string): GyreError {
  return new GyreError('bad_input', problem, { field, fix });
}
