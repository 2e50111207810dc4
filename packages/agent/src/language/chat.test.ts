import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Architecture,
  EmbeddedEngine,
  NativeTokenEngine,
  type Piece,
  pictureRuns,
  piecesOf,
  promptPicture,
  serveTinker,
  TinkerClient,
  TinkerEngine,
  tokenIds,
  VllmSampler,
  VllmServer,
} from '@gyre/engine';
import { type Action, promptsOf, turnFormat, turnFormatNames } from '@gyre/protocol';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { frameOf } from '../loop/frame.test.fixture.js';
import { pixels } from '../loop/pixels.js';
import { doubleTokens, sampledAs, vllmDouble } from '../policy/endpoint/double/vllmDouble.test.fixture.js';
import type { Context, PastTurn } from '../policy/policy.js';
import { sampledPolicy } from '../policy/sampledPolicy.js';
import { ChatLanguage, type ChatLanguageOptions } from './chat.js';
import { conversation } from './conversation.js';
import { systemPrompt } from './prompt.js';

const size = { width: 160, height: 160 };
const { end, pad } = doubleTokens;
const frame = (byte: number) => frameOf(new Uint8Array([byte]), size);
const task = { instruction: 'press it', surfaces: ['screen' as const], screen: size, stepBudget: 50 };

let double: Awaited<ReturnType<typeof vllmDouble>>;
let server: VllmServer;
beforeEach(async () => {
  double = await vllmDouble(() => ({ text: 'Action: wait()' }), { updatesAdapters: true });
  server = new VllmServer({ url: double.url, model: 'double', retries: 0, timeoutMs: 5_000 });
});
afterEach(() => double.close());

const architecture: Architecture = {
  ...{ screenshots: 1, width: 16, heads: 2, imageLayers: 1, decoderLayers: 1, stem: 8 },
  role: 'policy',
};
const native = new EmbeddedEngine({ architecture, seed: 1, threads: 1 });
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-chat-'));
});
afterAll(async () => {
  await native.close();
  await rm(directory, { recursive: true });
});

const open = (options: Partial<ChatLanguageOptions> = {}) => ChatLanguage.open({ server, ...options });

function contextOf(turns: readonly PastTurn[], count = 9): Context {
  const screenshots = Array.from({ length: turns.length + 1 }, (_, index) => frame(index)).slice(-count);
  const start = { screenshot: frame(0).hash, size };
  return { task, screenshots, start, turns, random: () => 0.25, episodeId: 'one' };
}

const past = (index: number, changed: Partial<PastTurn> = {}): PastTurn => ({
  ...{ index, actions: [{ type: 'wait' }], observation: { screenshot: frame(index + 1).hash, size } },
  ...changed,
});

interface GenerateRequest {
  token_ids: number[];
  features: { kwargs_data: { image: (string | null)[] } };
}

const imagesOf = ({ content }: { content: unknown }): unknown[] =>
  Array.isArray(content) ? content.filter(({ type }: { type: string }) => type === 'image_url') : [];

const picturesIn = (pieces: readonly Piece[]) =>
  pieces.flatMap((piece) => ('picture' in piece ? [piece.picture.hash] : []));

/** Plays turns as the loop does: each sees the screenshot after the one before. */
async function played(language: ChatLanguage, count: number): Promise<{ turns: PastTurn[]; contexts: Context[] }> {
  const trainer = await serveTinker({
    engine: new NativeTokenEngine({ engine: native, pixels }),
    ...{ name: 'nano', checkpoint: (name: string) => join(directory, `${name}.safetensors`) },
  });
  const engine = await TinkerEngine.open({
    client: await TinkerClient.open({ url: trainer.url }),
    model: { baseModel: 'nano', rank: 0 },
    sampler: new VllmSampler({ server, adapterPath: async ({ path }) => path }),
    ...{ vocabulary: language.vocabulary, pictures: true, pictureToken: language.pictureToken, policyVersion: 4 },
  });
  const policy = sampledPolicy({ name: 'chat', engine, language });
  const [turns, contexts]: [PastTurn[], Context[]] = [[], []];
  for (let index = 0; index < count; index++) {
    const context = contextOf([...turns], language.screenshots);
    const { text, sample, actions } = await policy.decide(context);
    contexts.push(context);
    turns.push(past(index, { actions: [...actions], ...(text !== undefined && { text }), ...(sample && { sample }) }));
  }
  await engine.close();
  await trainer.close();
  return { turns, contexts };
}

describe('a chat language', () => {
  const prompts = [undefined, 'Act.'];
  it.each(prompts)("gives the pieces of the server's own prompt, whatever the past (system: %s)", async (chosen) => {
    const language = await open({ format: 'doubao', system: chosen });
    const standard = systemPrompt({ format: 'doubao', mode: 'gui', thinking: 'efficient', surfaces: task.surfaces });
    const system = chosen ?? standard;
    const saidTurn = fc.record({ text: fc.option(fc.string(), { nil: undefined }), thought: fc.string() });
    await fc.assert(
      fc.asyncProperty(fc.array(saidTurn, { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), async (texts, count) => {
        const turns = texts.map(({ text, thought }, index) =>
          past(index, { thought, ...(text !== undefined && { text }) }),
        );
        const context = contextOf(turns, count);
        const pieces = await language.prompt(context);
        const messages = conversation(context, { system, format: turnFormat('doubao', size), minScreenshots: 5 });
        const { ids } = await server.render(messages, { ask: true });
        expect(tokenIds(pieces, language.pictureToken)).toEqual(ids);
        const hashes = picturesIn(pieces);
        expect(hashes).toEqual(context.screenshots.slice(-hashes.length).map(({ hash }) => hash));
        expect(hashes.length).toBe(double.renders.at(-1)!.messages.flatMap(imagesOf).length);
        const runs = pictureRuns(ids, pad);
        const pictures = context.screenshots.slice(-runs.length);
        expect(piecesOf(ids, { runs, pictures })).toEqual(pieces);
      }),
      { numRuns: 25 },
    );
  });

  it('repeats what was sampled in the next prompt, and sends each picture once', async () => {
    const language = await open({ format: 'doubao' });
    const { turns, contexts } = await played(language, 4);
    const answer = [...sampledAs('Action: wait()'), end];
    expect(turns.map(({ sample }) => sample?.tokens)).toEqual([answer, answer, answer, answer]);
    expect(turns[3]?.sample).toMatchObject({
      ...{ policyVersion: 4, model: 'nano', vocabulary: language.vocabulary },
      prompt: { kept: expect.any(Number) as number },
    });
    const prompts = promptsOf({ turns });
    for (const [index, { token_ids: ids, features }] of (double.requests as GenerateRequest[]).entries()) {
      expect(ids).toEqual(prompts[index]);
      expect(tokenIds(await language.prompt(contexts[index]!), pad)).toEqual(ids);
      expect(features.kwargs_data.image.map((data) => data === null)).toEqual(
        Array.from({ length: index + 1 }, (_, k) => k < index),
      );
      const before = prompts[index - 1];
      if (!before) continue;
      expect(ids.slice(0, before.length + answer.length)).toEqual([...before, ...answer]);
      expect(turns[index]?.sample?.prompt?.kept).toBe(before.length + answer.length);
    }
    // One of each turn and one alone, when the language was opened.
    expect(double.renders.flatMap(({ messages }) => messages.flatMap(imagesOf))).toHaveLength(5);
    const foreign = turns.map((turn) => ({ ...turn, sample: { ...turn.sample!, vocabulary: 'another' } }));
    const pieces = await language.prompt(contextOf(foreign));
    expect(tokenIds(pieces, pad).some((id) => id >= 500 && id < 1000)).toBe(false);
  });

  it('drops the data of pictures that nobody samples after, and renders them again where somebody does', async () => {
    server = new VllmServer({ url: double.url, model: 'double', retries: 0, maxUnsent: 250 });
    const language = await open();
    const prompts = [];
    for (let byte = 0; byte < 6; byte++)
      prompts.push(await language.prompt({ ...contextOf([]), screenshots: [frame(byte)] }));
    const sampler = new VllmSampler({ server, adapterPath: async ({ path }) => path });
    await sampler.use({ path: 'x', modelId: 'm', policyVersion: 0 });
    const before = double.renders.length;
    for (const input of prompts) await sampler.sample([{ input, maxTokens: 9, temperature: 1, seed: 1 }]);
    // Each has 100 characters: two fit.
    expect(double.renders.length - before).toBe(4);
    const sent = (double.requests as GenerateRequest[]).flatMap(({ features }) => features.kwargs_data.image);
    expect(sent.map((data) => typeof data)).toEqual(new Array(6).fill('string'));
  });

  it('holds the data of a picture once, however many prompts show it', async () => {
    const shot = promptPicture(frame(1).png);
    const prompts = await Promise.all(
      ['a', 'b'].map((text) =>
        server.render([{ role: 'user', content: [{ type: 'text', text }, shot] }], { ask: true }),
      ),
    );
    // The first again, as from a cache.
    for (const prompt of [...prompts, prompts[0]!]) server.pictures.pieces(prompt, [frame(1)]);
    const data = prompts.flatMap(({ pictures }) => pictures.map(({ feature }) => feature.data));
    expect(data).toEqual([expect.any(String), null]);
  });

  it.each(turnFormatNames)('parses what it prints in %s', async (format) => {
    const language = await open({ format });
    const actions: Action[] = [{ type: 'click', point: { x: 0.5, y: 0.25 } }];
    const tokens = await language.print({ thought: 'There.', actions }, size);
    expect(tokens.at(-1)).toBe(end);
    const { actions: parsed, thought, notices, refused } = await language.parse(tokens, size);
    expect({ parsed, thought, notices, refused }).toEqual({ parsed: actions, thought: 'There.' });
    await expect(language.print({ actions: [] }, size)).rejects.toMatchObject({ code: 'bad_input' });
  });

  it('continues a printed turn as the server renders it in the next prompt', async () => {
    const language = await open();
    const turn = { thought: 'There.', actions: [{ type: 'wait' as const }] };
    const [prompt, tokens] = [await language.prompt(contextOf([])), await language.print(turn, size)];
    const next = tokenIds(await language.prompt(contextOf([past(0, turn)])), pad);
    const whole = [...tokenIds(prompt, pad), ...tokens];
    expect(next.slice(0, whole.length)).toEqual(whole);
  });

  it('refuses an answer that was cut off or is malformed', async () => {
    const language = await open();
    const [cut, malformed] = [sampledAs('It is done.'), [...sampledAs('<seed:tool_call>click'), end]];
    expect(await language.parse(cut, size)).toMatchObject({
      ...{ actions: [], text: 'It is done.' },
      refused: expect.stringContaining('cut off') as string,
    });
    expect((await language.parse([...cut, end], size)).actions).toEqual([{ type: 'finished', answer: 'It is done.' }]);
    const ended = [...cut, ...sampledAs('<|endoftext|>')];
    expect((await language.parse(ended, size)).refused).toBeUndefined();
    expect((await language.parse(malformed, size)).refused).toContain('the tool call holds no function');
  });

  it('names its vocabulary by what the server renders, whatever the options', async () => {
    const [first, second] = [await open(), await open({ format: 'doubao', thinking: 'none' })];
    expect(first.vocabulary).toMatch(/^[0-9a-f]{64}$/);
    expect(second.vocabulary).toBe(first.vocabulary);
    expect([first.stop, first.pictureToken, first.screenshots]).toEqual([[end], pad, 9]);
  });
});
