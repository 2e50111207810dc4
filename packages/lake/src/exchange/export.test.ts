import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Action, type AgentAction, type Episode, turnFormat, turnFormatNames } from '@gyre/protocol';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { aFolder } from '../store/folder.test.fixture.js';
import { type ExportOptions, Lake, exportEpisodes } from '../index.js';
import type { DesktopReplay } from './desktopReplay.js';
import { greyPng, recordPlayed, screen } from './exchange.test.fixture.js';
import type { SftSample } from './sft.js';

const click = (x: number): Action[] => [{ type: 'click', point: { x, y: 0.5 } }];

async function exported(options: ExportOptions, turns: AgentAction[][], more?: Partial<Episode>) {
  const dir = await aFolder();
  const lake = await Lake.open(join(dir, 'lake'));
  await recordPlayed(lake, 'demo/1', turns);
  const origin = { format: 'agentnet', source: 'x', licence: 'MIT' };
  await recordPlayed(lake, 'demo/2', [click(0.5)], { origin, verdict: undefined });
  if (more) await recordPlayed(lake, more.id ?? '', turns, more);
  const out = join(dir, 'out');
  const report = await exportEpisodes(lake, out, { split: 'train' }, options);
  await lake.close();
  const lines = async (name: string) =>
    (await readFile(join(out, name), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  const table = async (name: string) => {
    const bytes = await readFile(join(out, name));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    return parquetReadObjects({ file, utf8: false });
  };
  return { out, report, lines, table };
}

describe('SFT messages', () => {
  it('mask all but the last answer, and show the last screenshots', async () => {
    const turns = [click(0.1), click(0.2), [], click(0.3), click(0.4)];
    const { lines, out, report } = await exported({ format: 'sft', turns: 'ui-tars-1.5', window: 2 }, turns);
    expect(report).toEqual({ episodes: 2, rows: 5, screenshots: 6, unsayable: 1 });
    const samples = (await lines('data/train.jsonl')) as SftSample[];
    expect(samples.map(({ turn }) => turn)).toEqual([0, 1, 3, 4, 0]);
    const { messages, images } = samples[3]!;
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'system user assistant assistant user assistant user assistant',
    );
    expect(messages.map(({ loss_mask: mask }) => mask)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect(messages[1]?.content).toContain('Press "Save" ☃.');
    expect(messages[4]?.content).toBe('<|vision_start|><|image_pad|><|vision_end|>');
    expect(turnFormat('ui-tars-1.5', screen).parse(messages[7]!.content)).toMatchObject({
      ok: true,
      thought: 'step 4',
    });
    expect(messages[7]?.content).toMatch(/click\(start_box='<\|box_start\|>\(\d+,\d+\)<\|box_end\|>'\)$/);
    expect(await Promise.all(images.map((image) => readFile(join(out, image))))).toEqual([
      greyPng(screen, 13),
      greyPng(screen, 14),
    ]);
  });

  it('speak T5 too', async () => {
    const { lines } = await exported({ format: 'sft' }, [click(0.1)]);
    const [sample] = (await lines('data/train.jsonl')) as SftSample[];
    const parsed = turnFormat('t5', screen).parse(sample!.messages.at(-1)!.content);
    expect(parsed).toEqual({ ok: true, thought: 'step 0', actions: click(0.1) });
  });
});

describe('turns that were copied from another episode', () => {
  const fork = { episode: 'demo/1', turn: 1 };
  const forked = async (format: 'sft' | 'jsonl') => {
    const { lines } = await exported({ format }, [click(0.1), click(0.2)], { id: 'demo/3', fork });
    return ((await lines('data/train.jsonl')) as Record<string, unknown>[]).filter(
      (row) => row.episode === 'demo/3' || row.episode_id === 'demo/3',
    );
  };

  it('are remembered in SFT messages, and never learnt', async () => {
    const samples = (await forked('sft')) as unknown as SftSample[];
    expect(samples.map(({ turn }) => turn)).toEqual([1]);
    const answers = samples[0]!.messages.filter(({ role }) => role === 'assistant');
    expect(answers.map(({ loss_mask: mask }) => mask)).toEqual([0, 1]);
    expect(answers[0]?.content).toContain('step 0');
  });

  it('are marked in rows of turns', async () => {
    expect((await forked('jsonl')).map(({ turn, copied, fork_episode: from }) => [turn, copied, from])).toEqual([
      [0, true, 'demo/1'],
      [1, false, 'demo/1'],
    ]);
  });
});

describe('datasets', () => {
  it('hold a row for each turn, with a card', async () => {
    const { table, out, report } = await exported({ format: 'parquet', shardBytes: 1 }, [click(0.1), []]);
    expect(report).toMatchObject({ episodes: 2, rows: 3 });
    expect(await readdir(join(out, 'data'))).toEqual(['train-00000.parquet', 'train-00001.parquet']);
    const rows = await table('data/train-00000.parquet');
    expect(rows[0]).toMatchObject({
      turn: 0n,
      success: true,
      tokens: [1n, 65535n],
      logprobs: [-0.1, -12.345678901234567],
    });
    expect(Buffer.from((rows[1]!.screenshot as { bytes: Uint8Array }).bytes)).toEqual(greyPng(screen, 11));
    expect(rows[1]).toMatchObject({ actions: null, reward: 0.25 });
    const card = await readFile(join(out, 'README.md'), 'utf8');
    expect(card).toContain('    - name: screenshot\n      dtype: image\n');
    expect(card).toContain('    - name: tokens\n      list: int64\n');
    expect(card).toContain('- MIT: 1');
  });

  it('of JSON lines name the screenshots that lie beside them', async () => {
    const { lines, out } = await exported({ format: 'jsonl' }, [click(0.1)]);
    const [row] = (await lines('data/train.jsonl')) as { screenshot: string; actions_json: string }[];
    expect(JSON.parse(row!.actions_json)).toEqual(click(0.1));
    expect(await readFile(join(out, row!.screenshot))).toEqual(greyPng(screen, 10));
  });

  it('for verl hold a row for each task', async () => {
    const { table, report } = await exported({ format: 'verl' }, [click(0.1)]);
    expect(report).toMatchObject({ episodes: 1, rows: 1 });
    const [row] = await table('data/train-00000.parquet');
    expect(row).toMatchObject({
      ...{ data_source: 'gyre/form', ability: 'gui', reward_model: { style: 'rule', ground_truth: 'form/train/7' } },
      prompt: [{ role: 'system' }, { role: 'user', content: expect.stringContaining('Press "Save" ☃.') }],
      extra_info: { split: 'train', index: 0n, seed: 7n, step_budget: 10n },
    });
    expect((row!.images as unknown[]).length).toBe(1);
  });
});

describe('replays of UI-TARS-desktop', () => {
  it('alternate screens and answers', async () => {
    const { out } = await exported({ format: 'desktop' }, [
      [{ type: 'drag', start: { x: 0, y: 0.5 }, end: { x: 1, y: 1 } }],
      [],
    ]);
    const name = (await readdir(out)).sort()[0]!;
    const replay = JSON.parse(await readFile(join(out, name), 'utf8')) as DesktopReplay;
    expect(replay).toMatchObject({
      version: 'v1',
      status: 'end',
      modelName: 'nano',
      logTime: Date.parse('2026-11-20T10:00:00.123Z'),
    });
    expect(replay.conversations.map(({ from }) => from)).toEqual(['human', 'human', 'gpt', 'human', 'gpt', 'human']);
    expect(replay.conversations[2]?.predictionParsed).toEqual([
      {
        ...{ action_type: 'drag', reflection: null, thought: 'step 0' },
        action_inputs: { start_box: '[0,0.5,0,0.5]', end_box: '[1,1,1,1]' },
      },
    ]);
    expect(Buffer.from(replay.conversations[3]!.screenshotBase64!, 'base64')).toEqual(greyPng(screen, 11));
  });
});

const calls: AgentAction[] = [
  { type: 'mcp_tool', server: 's', tool: 't', arguments: { x: 0.5, y: 0.5 } },
  { type: 'str_replace_editor', command: 'view', path: 'a', lines: [1, 9] },
];

describe('calls of the SDK', () => {
  it('are said in T5, and left out of SFT messages of the classic formats', async () => {
    const { lines } = await exported({ format: 'sft' }, [calls]);
    const [sample] = (await lines('data/train.jsonl')) as SftSample[];
    expect(turnFormat('t5', screen).parse(sample!.messages.at(-1)!.content)).toMatchObject({
      ok: true,
      actions: calls,
    });
    const { report } = await exported({ format: 'sft', turns: 'ui-tars-1.5' }, [calls, click(0.1)]);
    expect(report).toMatchObject({ rows: 2, unsayable: 1 });
  });

  it.each(turnFormatNames)('do not keep other turns from being exported in %s', async (turns) => {
    const { lines } = await exported({ format: 'sft', turns }, [click(0.1)]);
    const [sample] = (await lines('data/train.jsonl')) as SftSample[];
    expect(turnFormat(turns, screen).parse(sample!.messages.at(-1)!.content)).toMatchObject({ ok: true });
  });

  it('are shown by replays of UI-TARS-desktop', async () => {
    const { out } = await exported({ format: 'desktop' }, [calls]);
    const name = (await readdir(out)).sort()[0]!;
    const { conversations } = JSON.parse(await readFile(join(out, name), 'utf8')) as DesktopReplay;
    expect(conversations[2]?.value).toMatch(/^Thought: step 0\n<seed:tool_call><function=mcp_tool>/);
    expect(conversations[2]?.predictionParsed?.map(({ action_inputs }) => action_inputs)).toEqual([
      { server: 's', name: 't', arguments: '{"x":0.5,"y":0.5}' },
      { command: 'view', path: 'a', view_range: '[1,9]' },
    ]);
  });
});

describe('an export', () => {
  it('does not write into a folder that holds something', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    await expect(exportEpisodes(lake, dir, {}, { format: 'atif' })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: dir },
    });
    await lake.close();
  });
});
