import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AccessTokens, probeIsolation } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OtlpReceiverDouble } from './double/otlpReceiverDouble.js';
import { natsServer, NatsProcess, needsNats } from './natsServer.test.support.js';

const bin = fileURLToPath(new URL('../../cli/bin/gyre.mjs', import.meta.url));
const client = fileURLToPath(new URL('traceClient.test.fixture.js', import.meta.url));
const token = AccessTokens.random();

describe('traces, as a double of a collector receives them', () => {
  let collector: OtlpReceiverDouble;
  let folder: string;
  const children: ChildProcess[] = [];

  const start = (service: string, args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        GYRE_TOKEN: token,
        OPENAI_API_KEY: token,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_SERVICE_NAME: service,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
    children.push(child);
    return child;
  };
  const serve = async (service: string, args: readonly string[], ready = /listening at (\S+)/): Promise<string> => {
    const { stderr } = start(service, [bin, 'serve', ...args]);
    let url = '';
    for await (const line of createInterface(stderr!)) {
      url = /listening at (\S+)/.exec(line)?.[1] ?? url;
      if (ready.test(line)) break;
    }
    stderr!.resume();
    return url;
  };
  const finished = async (service: string, args: readonly string[]): Promise<void> => {
    const child = start(service, args);
    child.stderr!.pipe(process.stderr);
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  };
  const received = (service: string, name: string) =>
    collector.spans.filter((span) => span.service === service && span.name === name);

  beforeAll(async () => {
    collector = await OtlpReceiverDouble.start();
    folder = await mkdtemp(join(tmpdir(), 'gyre-trace-'));
  });
  afterAll(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await collector.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.skipIf(!natsServer)(`have one id across client, front and node${needsNats}`, { timeout: 300_000 }, async () => {
    const nats = await NatsProcess.start();
    try {
      const isolation = (await probeIsolation()).kind === 'none' ? 'none' : 'auto';
      const join = ['--join', nats.url];
      const node = ['sandbox', ...join, '--sessions', '2', '--node-name', 'n', '--isolation', isolation];
      const [url] = await Promise.all([
        serve('front', ['fleet', ...join, '--proxy']),
        serve('node', node, /of the fleet/),
      ]);
      await finished('client', [client, url, token]);
      // The client's lease, through the front's NATS request, down to the start of the session.
      const path = [
        ['client', 'POST /v1/sessions'],
        ['front', 'POST /v1/sessions'],
        ['front', 'ask node'],
        ['node', 'lease'],
        ['node', 'start session'],
      ] as const;
      const [first, ...rest] = path;
      await expect.poll(() => path.map(([service, name]) => received(service, name).length)).toEqual([1, 1, 1, 1, 1]);
      let [parent] = received(...first);
      for (const [service, name] of rest) {
        const [span] = received(service, name);
        expect(span).toMatchObject({ traceId: parent!.traceId, parentSpanId: parent!.spanId });
        parent = span;
      }
      expect(received('node', 'lease')[0]!.attributes).toMatchObject({ 'gyre.kind': 'shell' });
      // A proxied call: client, front and node again.
      const run = 'POST /v1/sessions/:id/run';
      const [called] = received('client', run);
      await expect
        .poll(() => collector.below(called!).map(({ service, name }) => [service, name]))
        .toEqual([
          ['front', run],
          ['node', run],
        ]);
      // Requests without a traceparent are not traced.
      expect((await fetch(`${url}/health`)).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(collector.spans.filter(({ name }) => name.includes('/health'))).toEqual([]);
    } finally {
      await nats.close();
    }
  });

  it('have one id for each episode, down to the model server', { timeout: 300_000 }, async () => {
    const url = await serve('engine', ['model', '--checkpoint', 'pixels']);
    const store = ['--directory', folder];
    const model = ['--model', url, '--model-name', 'nano', '--family', 'click', '--episodes', '2'];
    await finished('rollout', [bin, 'rollout', ...store, ...model]);
    const episodes = collector.spans.filter(({ name }) => name.startsWith('invoke_agent'));
    expect(episodes.length).toBe(2);
    expect(new Set(episodes.map(({ traceId }) => traceId)).size).toBe(2);
    for (const episode of episodes) {
      expect(episode.parentSpanId).toBeUndefined();
      expect(episode.attributes).toMatchObject({ 'gen_ai.operation.name': 'invoke_agent', 'gyre.family': 'click' });
      const turns = Number(episode.attributes['gyre.turns']);
      const below = () => collector.below(episode);
      const count = (start: string, service = 'rollout') =>
        below().filter((span) => span.service === service && span.name.startsWith(start)).length;
      expect(turns).toBeGreaterThan(0);
      expect([count('decide'), count('execute_tool')]).toEqual([turns, turns]);
      expect(count('chat nano')).toBeGreaterThanOrEqual(turns);
      await expect.poll(() => count('POST /v1/chat/completions', 'engine')).toBeGreaterThanOrEqual(turns);
      expect(below().every(({ traceId }) => traceId === episode.traceId)).toBe(true);
      const chat = below().find(({ name }) => name === 'chat nano')!;
      expect(chat.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'nano' });
    }
  });

  it('are complete when a command has ended', { timeout: 120_000 }, async () => {
    await finished('run', [bin, 'run', 'click/test/2', '--policy', 'oracle', '--directory', folder]);
    const names = collector.spans.filter(({ service }) => service === 'run').map(({ name }) => name);
    expect(names).toEqual(['decide', 'execute_tool click', 'invoke_agent oracle']);
  });
});
