import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentAction, Episode, type Observation, ResultKind } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aFolder } from '../store/folder.test.fixture.js';
import { Lake, exportEpisodes, importFiles } from '../index.js';
import { allOf } from '../store/sample.test.fixture.js';
import { AtifTrajectory } from './atif.js';
import sharp from 'sharp';
import { greyPng, recordPlayed, screen } from './exchange.test.fixture.js';
import { fromAtif } from './fromAtif.js';
import { fromDesktop } from './fromDesktop.js';
import { ImportedScreenshots, ScreenshotFiles, Unsupported } from './importing.js';
import type { Reading } from './reading.js';
import { toAtif } from './toAtif.js';

const origin = { format: 'atif', source: 'test' };

class NamedScreenshots extends ImportedScreenshots {
  override async get(name: string): Promise<Observation> {
    return { screenshot: name.replace(/.*\/|\.png$/g, ''), size: screen };
  }
}

const reading: Reading = {
  ...{ place: { file: 'x.json', field: '' }, name: 'x', family: 'atif', origin, coordinates: 'fraction' },
  ...{ now: '2026-11-22T00:00:00.000Z', screenshots: new NamedScreenshots('') },
};

const share = fc.double({ min: 0, max: 1, noNaN: true });
const point = fc.record({ x: share, y: share });
const text = fc.string({ unit: 'binary', minLength: 1 });
const action: fc.Arbitrary<AgentAction> = fc.oneof(
  fc.constantFrom<AgentAction>(
    ...([{ type: 'wait' }, { type: 'finished' }, { type: 'call_user' }, { type: 'navigate_back' }] as const),
    { type: 'mcp_tool', server: 's', tool: 't', arguments: { x: 0.5, y: 0.5, more: [{ a: null }] } },
    { type: 'str_replace_editor', command: 'view', path: 'a', lines: [1, -1] },
    { type: 'str_replace_editor', command: 'insert', path: 'a', afterLine: 0, new: '' },
    { type: 'jupyter', code: '1', seconds: 0.5 },
    { type: 'link_reader', url: 'http://x' },
  ),
  fc.record({ type: fc.constantFrom('click', 'right_click', 'double_click', 'mouse_move', 'long_press'), point }),
  fc.record({ type: fc.constantFrom('drag', 'swipe'), start: point, end: point }),
  fc.record(
    { type: fc.constant('scroll'), direction: fc.constantFrom('up', 'down'), point },
    { requiredKeys: ['type', 'direction'] },
  ),
  fc.record(
    { type: fc.constant('mouse_down'), point, button: fc.constantFrom('left', 'right') },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('type'), text: fc.string({ unit: 'binary' }) }),
  fc.record({ type: fc.constant('finished'), answer: fc.string() }),
  fc.record({ type: fc.constant('wait'), seconds: fc.double({ min: 0, max: 60, noNaN: true }) }),
);
const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const seen = fc.record({ screenshot: hash, size: fc.constant(screen) });
const sample = fc.array(fc.tuple(fc.nat(), fc.double({ max: -1e-300, min: -1e6, noNaN: true }))).map((pairs) => ({
  tokens: pairs.map(([id]) => id),
  logprobs: pairs.map(([, value]) => value),
  policyVersion: pairs.length,
}));
const turn = fc.record(
  {
    ...{ thought: fc.string(), actions: fc.array(action, { maxLength: 3 }), text, sample },
    observation: fc
      .tuple(
        seen,
        fc.array(fc.record({ kind: fc.constantFrom(...ResultKind.options), text: fc.string() }), { maxLength: 2 }),
      )
      .map(([first, results]) => (results.length > 0 ? { ...first, results } : first)),
    reward: fc.double({ min: -1, max: -1e-9, noNaN: true }),
  },
  { requiredKeys: ['actions', 'observation', 'reward'] },
);
const verdict = fc.record({
  ...{ success: fc.boolean(), score: share, source: fc.constantFrom('verifier', 'judge', 'orm', 'human') },
  evidence: fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    fc.string(),
  ),
});
const episode = fc
  .record({
    id: text,
    instruction: text,
    policy: text,
    seed: fc.nat(),
    observation: seen,
    turns: fc.array(turn, { maxLength: 4 }),
    verdict,
    fork: fc.option(fc.record({ episode: text, turn: fc.nat(5) }), { nil: undefined }),
  })
  .map(({ instruction, turns, fork, ...rest }): Episode => ({
    ...rest,
    ...(fork && { fork }),
    task: {
      ...{ id: 'form/test/3', family: 'form', split: 'test', seed: 3, instruction, surfaces: ['screen'] },
      ...{ screen, stepBudget: 9, difficulty: 2 },
    },
    purpose: 'eval',
    startedAt: '2026-11-20T10:00:00.123456Z',
    turns: turns.map((each, index) => ({ ...each, index })),
    end: { state: 'out_of_budget' },
  }));

describe('ATIF', () => {
  it('is valid by the published rules, and comes back as the same episode', async () => {
    await fc.assert(
      fc.asyncProperty(episode, async (before) => {
        const document: unknown = JSON.parse(JSON.stringify(toAtif(before)));
        expect(AtifTrajectory.safeParse(document).error).toBeUndefined();
        expect(await fromAtif(document, reading)).toEqual({ ...before, purpose: 'imported', origin });
      }),
      { numRuns: 200 },
    );
  });

  it('goes from one lake to another, once', async () => {
    const dir = await aFolder();
    const [from, to] = [await Lake.open(join(dir, 'from')), await Lake.open(join(dir, 'to'))];
    const before = await recordPlayed(from, 'demo/1', [
      [{ type: 'click', point: { x: 1 / 3, y: 1 } }],
      [{ type: 'finished' }],
    ]);
    await exportEpisodes(from, join(dir, 'out'), {}, { format: 'atif' });
    const file = join(dir, 'out', '000001-demo-1.json');
    const licence = 'CC-BY-4.0';
    expect(await importFiles(to, [file], { format: 'atif', licence })).toEqual({
      imported: 1,
      known: 0,
      leftOut: [],
    });
    expect(await importFiles(to, [file], { format: 'atif' })).toEqual({ imported: 0, known: 1, leftOut: [] });
    const [after] = await allOf(to, { purpose: 'imported' });
    expect(after).toEqual({
      ...before,
      purpose: 'imported',
      origin: { format: 'atif', source: '000001-demo-1.json', licence },
    });
    expect(await to.screenshot(before.turns[1]!.observation.screenshot)).toEqual(greyPng(screen, 12));
    expect((await to.check()).damaged).toEqual([]);
    await Promise.all([from.close(), to.close()]);
  });

  it('of other agents: px of the screenshot, and nothing guessed', async () => {
    const image = { type: 'image', source: { media_type: 'image/png', path: 'a.png' } };
    const call = (function_name: string, args: object) => ({ tool_call_id: '1', function_name, arguments: args });
    const document = (...tool_calls: object[]) => ({
      ...{ schema_version: 'ATIF-v1.6', session_id: 's', agent: { name: 'other', version: '2' } },
      steps: [
        { step_id: 1, source: 'system', message: 'be good' },
        {
          step_id: 2,
          source: 'user',
          message: [{ type: 'text', text: 'Go.' }, image],
          timestamp: '2026-01-02T03:04:05+01:00',
        },
        { step_id: 3, source: 'agent', message: 'well', tool_calls },
      ],
    });
    const pixels: Reading = { ...reading, coordinates: 'pixels' };
    const read = await fromAtif(document(call('left_click', { point: { x: 32, y: 0 } })), pixels);
    expect(read).toMatchObject({
      id: 's',
      policy: 'other',
      startedAt: '2026-01-02T02:04:05.000Z',
      purpose: 'imported',
    });
    expect(read.turns[0]).toMatchObject({
      actions: [{ type: 'click', point: { x: 32.5 / 64, y: 0.5 / 48 } }],
      ...{ text: 'well', reward: 0, observation: read.observation },
    });
    const field = 'steps.2.tool_calls.0.arguments.point';
    const off = call('click', { point: [64, 0] });
    const offScreen = { code: 'bad_input', message: `x.json: ${field}: (64, 0) is outside the screen of 64 x 48 px` };
    await expect(fromAtif(document(off), pixels)).rejects.toMatchObject(offScreen);
    const fraction = document(call('click', { point: [0.9, 0.9] }));
    await expect(fromAtif(fraction, pixels)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
    await expect(fromAtif(document(off), reading)).rejects.toMatchObject({ detail: { field } });
    await expect(fromAtif(document(call('bash', {})), reading)).rejects.toMatchObject({ what: 'the tool bash' });
    await expect(fromAtif(document(call('click', {})), reading)).rejects.toMatchObject({
      detail: { field: expect.stringContaining('arguments.point') },
    });
    const wrong = { ...document(), agent: { name: 'x' } };
    await expect(fromAtif(wrong, reading)).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'agent.version' },
    });
  });
});

describe('AgentNet', () => {
  const step = (image: string, code: string, more: object = {}) => ({ index: 0, image, value: { code, ...more } });
  const line = (task_id: string, ...traj: object[]) =>
    JSON.stringify({ task_id, instruction: 'Dim the screen.', traj });

  async function aFile(...lines: string[]) {
    const dir = await aFolder();
    await writeFile(join(dir, '0.png'), greyPng(screen, 0));
    await writeFile(join(dir, '1.png'), greyPng(screen, 1));
    await writeFile(join(dir, 'raw.jsonl'), `${lines.join('\n')}\n`);
    return { dir, file: join(dir, 'raw.jsonl'), lake: await Lake.open(join(dir, 'lake')) };
  }

  it('becomes episodes; what they cannot say is counted, not guessed', async () => {
    const judged = {
      ...(JSON.parse(line('b', step('0.png', 'computer.wait()'))) as object),
      task_completed: false,
      reason: 'no',
    };
    const { file, lake } = await aFile(
      line(
        'a',
        step('0.png', 'pyautogui.click(x=0.9722, y=0.9701)', { thought: 'there' }),
        step('1.png', "computer.terminate(status='success')"),
      ),
      JSON.stringify(judged),
      line('c', step('0.png', 'computer.wait()'), step('0.png', 'computer.triple_click(x=0.1, y=0.2)')),
      line('d', step('0.png', 'computer.triple_click(x=0.1, y=0.2)')),
    );
    const source = { source: 'xlangai/AgentNet', licence: 'MIT' };
    expect(await importFiles(lake, [file], { format: 'agentnet', ...source })).toEqual({
      ...{ imported: 2, known: 0 },
      leftOut: [{ what: 'computer.triple_click', count: 2, first: `${file}, line 3, traj.1.value.code` }],
    });
    const [a, b] = await allOf(lake);
    expect(a).toMatchObject({
      ...{ id: 'agentnet/a', policy: 'human', purpose: 'imported', origin: { format: 'agentnet', ...source } },
      task: { split: 'train', instruction: 'Dim the screen.', screen },
      turns: [
        { thought: 'there', actions: [{ type: 'click', point: { x: 0.9722, y: 0.9701 } }] },
        { actions: [{ type: 'finished' }] },
      ],
    });
    expect(a?.turns[0]?.observation).not.toEqual(a?.observation);
    expect(a?.turns[1]?.observation).toEqual(a?.turns[0]?.observation);
    expect(b?.verdict).toEqual({ success: false, score: 0, source: 'judge', evidence: { reason: 'no' } });
    await lake.close();
  });

  it.each([
    ['{"task_id": "b"', 'line 2: is not valid JSON', 'invalid JSON (use'],
    [line('b', step('9.png', '')), 'line 2: traj.0.image: ', 'an unreadable screenshot (name the folder'],
    [line('b', { image: '0.png', value: {} }), 'line 2: traj.0.value.code: ', 'traj.*.value.code: Invalid input'],
    [
      line('b', step('0.png', 'pyautogui.click(x=640, y=3)')),
      'line 2: traj.0.value.code: (640, 3) is not in 0..1',
      'a point outside 0..1 (if points are in pixels, use --coordinates pixels)',
    ],
    [line('b', step('raw.jsonl', '')), 'line 2: traj.0.image: is not an image', 'a screenshot that is not an image'],
    [line('a', step('0.png', '')), 'agentnet/a occurs twice', 'a duplicate id'],
  ])('omits one malformed line with its reason, and imports the others: %s', async (second, message, reason) => {
    const { file, lake } = await aFile(
      line('a', step('0.png', 'computer.wait()')),
      second,
      second,
      line('c', step('1.png', 'computer.wait()')),
    );
    expect(await importFiles(lake, [file], { format: 'agentnet' })).toEqual({
      ...{ imported: 2, known: 0 },
      leftOut: [
        {
          ...{ what: expect.stringContaining(reason) as string, count: 2 },
          first: expect.stringContaining(message) as string,
        },
      ],
    });
    expect((await allOf(lake)).map(({ id }) => id)).toEqual(['agentnet/a', 'agentnet/c']);
    await lake.close();
  });

  it('names the line of a document that is not JSON, and a missing file', async () => {
    const { dir, lake } = await aFile();
    await writeFile(join(dir, 'x.json'), '{\n  "task_id": "a",\n  oops\n}');
    const importing = (name: string) => importFiles(lake, [join(dir, name)], { format: 'agentnet' });
    expect(await importing('x.json')).toMatchObject({
      ...{ imported: 0, leftOut: [{ first: expect.stringContaining('x.json, line 3: is not valid JSON') as string }] },
    });
    await expect(importing('y.jsonl')).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('y.jsonl'),
    });
    expect(await readFile(join(dir, '0.png'))).toEqual(greyPng(screen, 0));
    await lake.close();
  });
});

describe('UI-TARS-desktop', () => {
  const png = greyPng(screen, 7).toString('base64');
  const seen = (screenshotBase64 = png) => ({ from: 'human', value: '<image>', screenshotBase64 });
  const predictions = (...parsed: [string, object][]) => ({
    ...{ from: 'gpt', value: 'Thought: go\nAction: ...' },
    predictionParsed: parsed.map(([action_type, action_inputs]) => ({
      ...{ action_type, action_inputs, reflection: null, thought: 'go' },
    })),
  });
  const log = (...conversations: object[]) => ({
    ...{
      version: 'v1',
      instruction: 'Press it.',
      modelName: 'UI-TARS-1.5-7B',
      mode: 'agent',
      logTime: 0,
      status: 'end',
    },
    conversations: [{ from: 'human', value: 'Press it.' }, ...conversations],
  });

  async function imported(document: unknown) {
    const dir = await aFolder();
    const file = join(dir, 'log.json');
    await writeFile(file, JSON.stringify(document));
    const lake = await Lake.open(join(dir, 'lake'));
    try {
      const report = await importFiles(lake, [file], { format: 'desktop' });
      const [episode] = await allOf(lake, { purpose: 'imported' });
      const pictures = await Promise.all(
        [episode?.observation, ...(episode?.turns ?? []).map(({ observation }) => observation)].flatMap((one) =>
          one ? [lake.screenshot(one.screenshot)] : [],
        ),
      );
      return { report, episode, pictures };
    } finally {
      await lake.close();
    }
  }

  it('comes back as it was exported, actions and screens', async () => {
    const dir = await aFolder();
    const from = await Lake.open(join(dir, 'from'));
    const actions: AgentAction[][] = [
      [{ type: 'click', point: { x: 1 / 3, y: 1 } }],
      [
        { type: 'drag', start: { x: 0, y: 0.25 }, end: { x: 0.5, y: 0.125 } },
        { type: 'wait', seconds: 2 },
      ],
      [
        { type: 'scroll', direction: 'down', point: { x: 0.5, y: 0.5 } },
        { type: 'hotkey', keys: 'ctrl a' },
      ],
      [{ type: 'type', text: "it's [1,2] ☃" }],
      [],
      [{ type: 'finished', answer: 'done' }],
    ];
    const before = await recordPlayed(from, 'demo/1', actions);
    await exportEpisodes(from, join(dir, 'out'), {}, { format: 'desktop' });
    await from.close();
    const [name = ''] = (await readdir(join(dir, 'out'))).filter((file) => file.endsWith('.json'));
    const document: unknown = JSON.parse(await readFile(join(dir, 'out', name), 'utf8'));
    const { report, episode, pictures } = await imported(document);
    expect(report).toEqual({ imported: 1, known: 0, leftOut: [] });
    expect(episode?.turns.map((turn) => turn.actions)).toEqual(actions);
    expect(episode).toMatchObject({
      ...{ id: 'desktop/log.json', policy: 'nano', purpose: 'imported', startedAt: before.startedAt },
      ...{ end: { state: 'finished' }, origin: { format: 'desktop', source: 'log.json' } },
    });
    expect(episode?.verdict).toBeUndefined();
    expect(pictures).toEqual([0, 1, 2, 3, 4, 5, 6].map((grey) => greyPng(screen, 10 + grey)));
  });

  it('takes pictures of any kind pixel by pixel, and the last screen where none follows', async () => {
    const jpeg = await sharp(greyPng(screen, 90)).jpeg().toBuffer();
    const click = predictions(['left_single', { start_box: '[0.25, 0.5, 0.75, 0.5]', start_coords: [32, 24] }]);
    const document = log(
      seen(),
      click,
      seen(jpeg.toString('base64')),
      predictions(['', {}]),
      predictions(['hotkey', { hotkey: 'a' }]),
    );
    const { episode, pictures } = await imported({ ...document, status: 'user_stopped' });
    expect(episode?.turns.map(({ actions }) => actions)).toEqual([
      [{ type: 'click', point: { x: 0.5, y: 0.5 } }],
      [],
      [{ type: 'hotkey', keys: 'a' }],
    ]);
    expect(episode?.end).toEqual({ state: 'cut' });
    const pixels = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();
    expect(pictures).toHaveLength(4);
    expect(await pixels(pictures[1]!)).toEqual(await pixels(jpeg));
    expect(pictures[3]).toEqual(pictures[1]);
  });

  it('leaves out what an episode cannot say, and names what is wrong', async () => {
    const unsupported = async (...messages: object[]) => (await imported(log(...messages))).report.leftOut[0]?.what;
    expect(await unsupported(seen(), { from: 'gpt', value: 'hm' })).toBe('an unparsed answer');
    expect(await unsupported(seen(), predictions(['call_mother', {}]))).toBe('the action call_mother');
    expect(await unsupported(predictions(['wait', {}]), seen())).toBe('no screenshot before the first action');
    expect(await unsupported(seen(), predictions(['wait', {}]), { from: 'human', value: 'Now the other.' })).toBe(
      'several user messages',
    );
    expect(await unsupported()).toBe('no screenshots');
    const inputs = 'conversations.2.predictionParsed.0.action_inputs';
    for (const [document, field] of [
      [log(seen('####'), predictions(['wait', {}])), 'conversations.1.screenshotBase64'],
      [log(seen(Buffer.from('no picture').toString('base64'))), 'conversations.1.screenshotBase64'],
      [log(seen(), predictions(['click', { start_box: '[0.5,1.5,0.5,1.5]' }])), `${inputs}.start_box`],
      [log(seen(), predictions(['click', { start_box: 'here' }])), `${inputs}.start_box`],
      [log(seen(), predictions(['click', {}])), `${inputs}.point`],
      [{ ...log(), conversations: undefined }, 'conversations'],
      [{ ...log(seen()), logTime: 1e300 }, 'logTime'],
    ] as const) {
      const { report } = await imported(document);
      expect(report).toMatchObject({
        imported: 0,
        leftOut: [{ count: 1, first: expect.stringContaining(field) as string }],
      });
    }
  });

  it('of anything, gives an episode or one error that names the field', async () => {
    const value = fc.oneof(
      fc.string(),
      fc.constant('[0.1,0.2,0.3,0.4]'),
      fc.double(),
      fc.array(fc.double()),
      fc.object(),
    );
    const names = [
      'click',
      'drag',
      'type',
      'scroll',
      'hotkey',
      'wait',
      'finished',
      'execute_bash',
      'mcp_tool',
      '',
      'x',
    ];
    const inputs = fc.dictionary(
      fc.constantFrom('start_box', 'end_box', 'content', 'key', 'direction', 'time', 'command', 'arguments'),
      value,
    );
    const call = fc.tuple(fc.constantFrom(...names), inputs).map(([name, given]) => predictions([name, given]));
    const message = fc.oneof(fc.constant(seen()), call, fc.object());
    const files = new ScreenshotFiles();
    const inMemory: Reading = { ...reading, screenshots: new ImportedScreenshots('', files) };
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 4 }), async (messages) => {
        try {
          const episode = await fromDesktop(JSON.parse(JSON.stringify(log(seen(), ...messages))), inMemory);
          expect(Episode.safeParse(episode).error).toBeUndefined();
        } catch (error) {
          if (error instanceof Unsupported) expect(error.field).toMatch(/^conversations/);
          else
            expect(error).toMatchObject({
              code: 'bad_input',
              detail: { field: expect.stringMatching(/^conversations/) },
            });
        }
      }),
      { numRuns: 300 },
    );
    await files.close();
  });
});
