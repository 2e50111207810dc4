import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { AccessTokens, Delegation, probeIsolation, Sandbox, SandboxClient, serveSandbox } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type FleetServer, serveFleet } from './front/server.js';
import { connectNats } from './nats/connect.js';
import { natsServer, NatsProcess, needsNats } from './natsServer.test.support.js';
import { serverHost } from './node/host.js';
import { FleetNode } from './node/node.js';
import { newInstance } from './wire/names.js';

const chart = (path: string): string => fileURLToPath(new URL(`../../../deploy/helm/gyre/${path}`, import.meta.url));
const token = AccessTokens.random();
const tokens = [{ token, scope: 'admin' as const }];

const Dashboard = z.looseObject({
  panels: z.array(z.looseObject({ targets: z.array(z.looseObject({ expr: z.string() })).default([]) })),
  templating: z.looseObject({ list: z.array(z.looseObject({ definition: z.string().optional() })) }),
});

/** Labels that Prometheus gives to what it scrapes. */
const targetLabels = ['namespace', 'job', 'pod'];

/** Returns the metrics of a query with the labels of their matchers and groupings. Throws for what is not PromQL. */
function metricsOf(query: string): { metric: string; labels: string[] }[] {
  const text = query.replaceAll('$__rate_interval', '5m');
  const selected: { metric: string; labels: string[] }[] = [];
  const grouped: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`${query} is not PromQL at ${from}`);
      const part = text.slice(from, to);
      if (type.name === 'VectorSelector') selected.push({ metric: /^\w+/.exec(part)?.[0] ?? '', labels: [] });
      if (type.name !== 'LabelName') return;
      if (node.parent?.name === 'GroupingLabels') grouped.push(part);
      else selected.at(-1)?.labels.push(part);
    },
  });
  return selected.map(({ metric, labels }) => ({ metric, labels: [...labels, ...grouped] }));
}

describe.skipIf(!natsServer)(`the chart, with a real front and node${needsNats}`, () => {
  const closings: (() => Promise<unknown>)[] = [];
  let front: FleetServer;
  let node: { url: string; fleetNode: FleetNode };
  let client: SandboxClient;

  beforeAll(async () => {
    const nats = await NatsProcess.start();
    const nc = await connectNats({ servers: [nats.url] }, 'test');
    const fleet = 'deployed';
    front = await serveFleet({ nc, fleet, tokens, perOwner: 4 });
    const isolation = (await probeIsolation()).kind === 'none' ? 'none' : 'auto';
    const instance = newInstance('n');
    const sandbox = await Sandbox.start({ isolation, name: instance, warm: [{ kind: 'shell', count: 1 }] });
    const secret = AccessTokens.random();
    const delegation = new Delegation(secret);
    const server = await serveSandbox({ sandbox, tokens, delegation, maxSessions: 2 });
    const host = serverHost({ server, delegation, url: server.url, warm: () => sandbox.warm });
    const offer = { url: server.url, kinds: ['shell' as const], labels: {}, capacity: 2 };
    const none = { phones: [], remotes: [], images: [], roots: [] };
    const member = { nc, fleet, instance, token: secret, offer: { ...offer, ...none }, host };
    node = { url: server.url, fleetNode: await FleetNode.join(member) };
    client = new SandboxClient({ url: front.url, token });
    closings.push(
      () => node.fleetNode.leave(),
      () => server.close(),
      () => sandbox.close(),
      () => front.close(),
      () => nc.close(),
      () => nats.close(),
    );
  }, 120_000);
  afterAll(async () => {
    for (const close of closings) await close();
  });

  const scrape = async (url: string): Promise<string> =>
    (await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${token}` } })).text();

  it('exposes each metric and label that the dashboard and the autoscaler ask for', async () => {
    const [first, second] = await Promise.all([
      client.lease({ kind: 'shell', waitMs: 20_000 }),
      client.lease({ kind: 'shell', waitMs: 20_000 }),
    ]);
    const third = client.lease({ kind: 'shell', waitMs: 60_000 });
    await expect.poll(() => front.front.waiting).toBe(1);
    const waiting = await scrape(front.url);
    expect(waiting).toMatch(/gyre_fleet_owner_waiting\{owner="\w{12}"\} 1/);
    expect(waiting).toContain('gyre_fleet_places_free 0');
    await first.release();
    await Promise.all([second.release(), (await third).release()]);

    const text = `${waiting}\n${await scrape(front.url)}\n${await scrape(node.url)}`;
    const exposed = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const labelsOf = (metric: string): Set<string> => {
      const samples = [...text.matchAll(new RegExp(`^${metric}\\{(.*)\\} `, 'gm'))].map(([, labels = '']) => labels);
      return new Set(samples.flatMap((labels) => [...labels.matchAll(/(\w+)="/g)].map(([, name = '']) => name)));
    };
    const dashboard = Dashboard.parse(JSON.parse(readFileSync(chart('dashboards/gyre.json'), 'utf8')));
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(20);
    const scaling = /^ +query: (.*)$/m.exec(readFileSync(chart('templates/autoscaling.yaml'), 'utf8'))?.[1];
    queries.push(
      scaling!.replaceAll(/ ?\{\{-? \$fronts -?\}\} ?/g, 'job="a",namespace="b"').replace(/\{\{.*\}\}$/, '8'),
    );
    const used = queries.flatMap(metricsOf);
    const [, listed] = /label_values\((\w+),/.exec(dashboard.templating.list[1]?.definition ?? '') ?? [];
    used.push({ metric: listed ?? '', labels: [] });
    for (const { metric, labels } of used) {
      expect(exposed, metric).toContain(metric.replace(/_bucket$/, ''));
      const known = labelsOf(metric);
      // A counter of what has not happened has no sample.
      if (known.size === 0) continue;
      expect([...known, ...targetLabels], metric).toEqual(expect.arrayContaining(labels));
    }
    expect(labelsOf('gyre_sandbox_session_start_seconds_bucket')).toEqual(new Set(['le', 'kind', 'warm']));
    expect(text).toContain('gyre_sandbox_sessions_ended_total{kind="shell",reason="released"} 3');
  });

  it('counts drains and draining nodes', async () => {
    const { instance } = [...front.front.members.nodes][0]!.record;
    const drain = (method: string) =>
      fetch(new URL(`/v1/nodes/${instance}/drain`, front.url), {
        method,
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await drain('POST')).status).toBe(204);
    await expect.poll(() => scrape(front.url)).toContain('gyre_fleet_nodes{state="draining"} 1');
    expect((await drain('DELETE')).status).toBe(204);
    const text = await scrape(front.url);
    expect(text).toContain('gyre_fleet_drains_total{order="drain"} 1');
    expect(text).toContain('gyre_fleet_drains_total{order="resume"} 1');
  });
});
