import type { AgentAction, Surface } from '@gyre/protocol';
import { BrowserPool, Sandbox, type Session } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runEpisode } from '../loop/episode.js';
import { inSession, pressTask } from '../loop/pressTask.test.fixture.js';
import type { Context, Policy } from '../policy/policy.js';
import type { SearchService } from './searchService.js';

function scripted(turns: readonly (readonly AgentAction[])[]): Policy & { seen: Context[] } {
  const seen: Context[] = [];
  return {
    name: 'scripted',
    seen,
    decide: async (context) => {
      seen.push(context);
      return { actions: turns[seen.length - 1] ?? [{ type: 'finished' }] };
    },
  };
}

const bash = (command: string): AgentAction => ({ type: 'execute_bash', command });

describe('calls of the SDK', () => {
  let sandbox: Sandbox;
  let session: Session;
  beforeAll(async () => {
    sandbox = await Sandbox.start({ isolation: 'none' });
    session = await sandbox.lease({ kind: 'browser', size: { width: 160, height: 160 } });
  });
  afterAll(() => sandbox.close());

  const play = (
    policy: Policy,
    surfaces: Surface[],
    { on = session, search }: { on?: Session; search?: SearchService } = {},
  ) => {
    const job = pressTask({ stepBudget: 6, surfaces: [...surfaces] });
    return runEpisode({ ...job, environment: inSession(job, on, search), policy });
  };

  it('run in one shell, and their results come with the next observation', async () => {
    const policy = scripted([
      [bash('cd /tmp && word=hello')],
      [bash('pwd; echo $word'), bash('false')],
      [bash('printf x')],
    ]);
    const { turns } = await play(policy, ['screen', 'shell']);
    expect(turns.map(({ observation }) => observation.results?.map(({ text }) => text))).toEqual([
      ['(exit code 0)'],
      ['/tmp\nhello\n(exit code 0)', '(exit code 1)'],
      ['x\n(exit code 0)'],
      undefined,
    ]);
    expect(turns[1]?.actions).toEqual([bash('pwd; echo $word'), bash('false')]);
    expect(policy.seen[2]?.turns[1]?.observation.results).toHaveLength(2);
  });

  it('leave the middle of a long output out', async () => {
    const { turns } = await play(scripted([[bash('seq 1 20000')]]), ['screen', 'shell']);
    const result = turns[0]?.observation.results?.[0]?.text ?? '';
    expect(result.length).toBeLessThan(18_000);
    expect(result).toMatch(/^1\n2\n/);
    expect(result).toMatch(/\n20000\n\(lines in the middle are omitted; exit code 0\)$/);
  });

  it('are refused where the task has no shell, and waste the rest of the turn', async () => {
    const press: AgentAction = { type: 'click', point: { x: 0.5, y: 0.5 } };
    const { turns, verdict } = await play(scripted([[bash('true'), press]]), ['screen']);
    expect(turns[0]).toMatchObject({ actions: [bash('true')], reward: 0 });
    expect(turns[0]?.observation.results).toEqual([
      { kind: 'refused', text: 'refused execute_bash: this task does not offer shell (act on the screen)' },
    ]);
    expect(verdict?.evidence).toMatchObject({ pressed: 0 });
  });

  it('are refused by a session that is only a page', async () => {
    const pool = await BrowserPool.launch();
    const page = await pool.lease({ size: { width: 160, height: 160 } });
    const { turns } = await play(scripted([[bash('true')]]), ['screen', 'shell'], { on: page });
    expect(turns[0]?.observation.results?.[0]?.text).toMatch(/^refused execute_bash: /);
    await pool.close();
  });

  it('stand among actions of the screen in their order', async () => {
    const press: AgentAction = { type: 'click', point: { x: 0.5, y: 0.5 } };
    const { verdict, turns } = await play(scripted([[press, bash('echo between'), press]]), ['screen', 'shell']);
    expect(turns[0]?.observation.results).toEqual([{ kind: 'output', text: 'between\n(exit code 0)' }]);
    expect(verdict).toMatchObject({ success: true });
  });

  it('change files, and say what is wrong with a call without ending the episode', async () => {
    const editor = { type: 'str_replace_editor', path: 'notes.txt' } as const;
    const { turns, end } = await play(
      scripted([
        [{ ...editor, command: 'create', text: 'a\n' }, bash('cat ~/notes.txt')],
        [{ ...editor, command: 'create', text: 'b\n' }],
        [{ type: 'mcp_tool', server: 'none', tool: 'x' }],
        [{ type: 'search', query: 'x' }],
      ]),
      ['screen', 'shell', 'files', 'tools'],
    );
    expect(turns.map(({ observation }) => observation.results?.map(({ text }) => text))).toEqual([
      ['(notes.txt written: 2 bytes)', 'a\n(exit code 0)'],
      [expect.stringMatching(/^refused str_replace_editor: "notes.txt" already exists \(.+\)$/)],
      [expect.stringMatching(/^refused mcp_tool: there is no tool server "none"/)],
      ['refused search: this task does not offer search (act on the screen)'],
      undefined,
    ]);
    expect(end).toEqual({ state: 'finished' });
  });

  it('search where there is something to search, which the episode keeps', async () => {
    const search = {
      search: (query: string) => ({ results: [{ title: query, url: 'http://x/1', snippet: 'of it' }] }),
      read: (url: string) => `the text of ${url}`,
    };
    const policy = scripted([
      [
        { type: 'search', query: 'a' },
        { type: 'link_reader', url: 'http://x/1' },
      ],
    ]);
    const { turns, task } = await play(policy, ['screen'], { search });
    expect(turns[0]?.observation.results?.map(({ text }) => text)).toEqual([
      '1. a\n   http://x/1\n   of it\n(1 of 1 results)',
      'the text of http://x/1',
    ]);
    expect(task.surfaces).toEqual(['screen', 'search']);
    expect(policy.seen[0]?.task.surfaces).toEqual(['screen', 'search']);
  });
});
