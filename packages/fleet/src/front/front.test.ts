import { GyreError } from '@gyre/protocol';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HostDouble } from '../double/hostDouble.js';
import { connectNats } from '../nats/connect.js';
import { natsServer, NatsProcess, needsNats } from '../natsServer.test.support.js';
import { FleetNode } from '../node/node.js';
import type { Times } from '../times.js';
import { newInstance } from '../wire/names.js';
import { Front, type FrontOptions } from './front.js';
import type { KnownNode } from './members.js';

const times: Times = { beatMs: 200, lostMs: 1_200, keepMs: 1_500, askMs: 20_000 };
const shell = { kind: 'shell' } as const;
const token = 'a token of sixteen characters';

// The hosts are doubles; NATS, the nodes' protocol and the fronts are real.
describe.skipIf(!natsServer)(`a fleet of doubled hosts${needsNats}`, () => {
  let nats: NatsProcess;
  let fleet: string;
  let fleets = 0;
  const connections: NatsConnection[] = [];
  beforeAll(async () => {
    nats = await NatsProcess.start();
  });
  afterAll(() => nats.close());
  afterEach(async () => {
    await Promise.allSettled(connections.splice(0).map((nc) => nc.close()));
  });

  const connectionTo = async (): Promise<NatsConnection> => {
    const nc = await connectNats({ servers: [nats.url] }, 'test');
    connections.push(nc);
    return nc;
  };
  const newFleet = (): void => {
    fleet = `test${++fleets}`;
  };
  const addNode = async (capacity: number, { startMs = 0, labels = {}, name = 'n' } = {}) => {
    const instance = newInstance(name);
    const host = new HostDouble(instance, capacity, startMs);
    const none = { phones: [], remotes: [], images: [], roots: [] };
    const offer = { url: 'http://127.0.0.1:9', kinds: ['shell' as const], labels, capacity, ...none };
    const nc = await connectionTo();
    return { instance, host, nc, node: await FleetNode.join({ nc, fleet, instance, token, offer, host, times }) };
  };
  const addFront = async (options: Partial<FrontOptions> = {}) => {
    const nc = await connectionTo();
    return { nc, front: await Front.join({ nc, fleet, times, ...options }) };
  };
  const lease = (front: Front, owner = 'anna', waitMs = 0, signal = new AbortController().signal) =>
    front.lease({ ...shell, waitMs }, { owner, signal });
  const leaseAndKeep = async (front: Front, owner = 'anna', waitMs = 0): Promise<string> => {
    const placed = await lease(front, owner, waitMs);
    placed.keep();
    return placed.session.id;
  };

  it('spreads leases, or packs them, and refuses what no node has', async () => {
    newFleet();
    const nodes = [await addNode(4), await addNode(4)];
    const { front: spreading } = await addFront();
    const { front: packing } = await addFront({ strategy: 'pack' });
    const takenBy = () => nodes.map(({ host }) => host.taken).sort();
    for (let i = 0; i < 4; i++) await leaseAndKeep(spreading);
    expect(takenBy()).toEqual([2, 2]);
    await expect.poll(() => [...packing.members.nodes].map(({ load }) => load.taken)).toEqual([2, 2]);
    for (let i = 0; i < 2; i++) await leaseAndKeep(packing);
    expect(takenBy()).toEqual([2, 4]);
    for (let i = 0; i < 2; i++) await leaseAndKeep(packing);
    await expect(lease(spreading)).rejects.toMatchObject({ limit: 'sessions', code: 'infra' });
    await expect(
      spreading.lease({ kind: 'browser' }, { owner: 'anna', signal: new AbortController().signal }),
    ).rejects.toMatchObject({
      code: 'infra',
      detail: { part: 'lease', field: 'kind' },
    });
  });

  it('places by labels', async () => {
    newFleet();
    const east = await addNode(2, { labels: { zone: 'east' } });
    await addNode(9, { labels: { zone: 'west' } });
    const { front } = await addFront();
    const inEast = () =>
      front.lease({ ...shell, labels: { zone: 'east' } }, { owner: 'anna', signal: new AbortController().signal });
    (await inEast()).keep();
    (await inEast()).keep();
    expect(east.host.taken).toBe(2);
    await expect(inEast()).rejects.toMatchObject({ limit: 'sessions' });
    const nowhere = front.lease(
      { ...shell, labels: { zone: 'north' } },
      { owner: 'anna', signal: new AbortController().signal },
    );
    await expect(nowhere).rejects.toMatchObject({ detail: { field: 'labels' } });
  });

  it('never hands out a place twice, whatever front asks, and leaks none', async () => {
    newFleet();
    const nodes = [await addNode(7, { startMs: 5 }), await addNode(5), await addNode(3, { startMs: 20 })];
    const fronts = [(await addFront()).front, (await addFront()).front];
    const ids = new Set<string>();
    let refused = 0;
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        try {
          const id = await leaseAndKeep(fronts[i % 2]!, `owner${i % 3}`);
          expect(ids.has(id)).toBe(false);
          ids.add(id);
        } catch (error) {
          expect((error as GyreError).code).toBe('infra');
          refused++;
        }
      }),
    );
    expect([ids.size, refused]).toEqual([15, 45]);
    expect(nodes.flatMap(({ host }) => host.ids).sort()).toEqual([...ids].sort());
    for (const { host } of nodes) for (const id of host.ids) host.release(id);
    await expect.poll(() => [...fronts[1]!.members.nodes].map(({ load }) => load.taken)).toEqual([0, 0, 0]);
  });

  it('queues, and lets owners take turns', async () => {
    newFleet();
    const { host } = await addNode(1);
    const { front } = await addFront();
    await leaseAndKeep(front);
    const order: string[] = [];
    const waits = ['anna', 'anna', 'anna', 'ben', 'carl'].map(async (owner) => {
      const id = await leaseAndKeep(front, owner, 10_000);
      order.push(owner);
      host.release(id);
    });
    await expect.poll(() => front.waiting).toBe(5);
    host.release(host.ids[0]!);
    await Promise.all(waits);
    expect(order.slice(0, 3).sort()).toEqual(['anna', 'ben', 'carl']);
    await expect(Promise.all([leaseAndKeep(front), lease(front, 'dora', 50)])).rejects.toMatchObject({
      limit: 'sessions',
    });
  });

  it('bounds each owner over all fronts', async () => {
    newFleet();
    const node = await addNode(20);
    const fronts = [(await addFront({ perOwner: 3 })).front, (await addFront({ perOwner: 3 })).front];
    const settled = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => leaseAndKeep(fronts[i % 2]!, i < 10 ? 'anna' : 'ben')),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    await expect(lease(fronts[1]!)).rejects.toMatchObject({ limit: 'perOwner' });
    const next = leaseAndKeep(fronts[1]!, 'anna', 10_000);
    await expect.poll(() => fronts[1]!.waiting).toBe(1);
    const annas = node.host.list('anna').map(({ id }) => id);
    node.host.release(annas[0]!);
    await next;
    expect(node.host.list('anna')).toHaveLength(3);
  });

  it('takes back what a front asked for and did not keep', async () => {
    newFleet();
    const { host } = await addNode(2, { startMs: 300 });
    const { front, nc } = await addFront({ perOwner: 2 });
    const { front: second } = await addFront({ perOwner: 2 });
    const cut = lease(front).catch(() => undefined);
    await expect.poll(() => host.taken).toBe(1);
    // As if it were killed: nothing is said any more.
    await nc.close();
    await cut;
    const cancelled = await lease(second);
    expect(host.taken).toBe(2);
    cancelled.cancel();
    await expect.poll(() => host.taken, { timeout: 10_000 }).toBe(0);
    const leftAlone = await lease(second);
    await expect.poll(() => host.ids, { timeout: 10_000 }).toEqual([]);
    leftAlone.keep();
    // The quota is whole again, too.
    await expect
      .poll(
        async () => Promise.all([leaseAndKeep(second, 'anna', 500), leaseAndKeep(second, 'anna', 500)]).catch(() => []),
        {
          timeout: 20_000,
        },
      )
      .toHaveLength(2);
  });

  it('ends a lease whose client leaves while the machine starts', async () => {
    newFleet();
    const { host } = await addNode(1, { startMs: 400 });
    const { front } = await addFront();
    const gone = new AbortController();
    const leaving = lease(front, 'anna', 0, gone.signal);
    await expect.poll(() => host.taken).toBe(1);
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'infra' });
    await expect.poll(() => host.taken).toBe(0);
  });

  it('drains a node', async () => {
    newFleet();
    const nodes = [await addNode(4), await addNode(4)];
    const { front } = await addFront();
    await front.drain(nodes[0]!.instance, true);
    await expect.poll(() => front.members.node(nodes[0]!.instance)?.load.draining).toBe(true);
    for (let i = 0; i < 4; i++) await leaseAndKeep(front);
    expect(nodes.map(({ host }) => host.taken)).toEqual([0, 4]);
    const next = leaseAndKeep(front, 'anna', 10_000);
    await front.drain(nodes[0]!.instance, false);
    await next;
    expect(nodes[0]!.host.taken).toBe(1);
    await expect(front.drain('n_00000000', true)).rejects.toMatchObject({ code: 'infra', detail: { part: 'node' } });
  });

  it('reclaims what a lost node held, and only that', async () => {
    newFleet();
    const [lost, whole] = [await addNode(3), await addNode(3)];
    const { front } = await addFront({ perOwner: 6 });
    for (let i = 0; i < 6; i++) await leaseAndKeep(front);
    await expect(lease(front)).rejects.toMatchObject({ code: 'infra' });
    await lost.nc.close();
    await expect.poll(() => front.members.wasLost(lost.instance), { timeout: 10_000 }).toBe(true);
    expect(front.members.node(whole.instance)?.load.taken).toBe(3);
    const third = await addNode(3);
    await expect.poll(() => leaseAndKeep(front).catch(() => ''), { timeout: 20_000 }).toContain(third.instance);
    expect(whole.host.taken).toBe(3);
  });

  describe('a session that is started by other ways', () => {
    const lessee = { owner: 'anna', signal: new AbortController().signal };
    const infra = new GyreError('infra', 'its browser does not start', { part: 'browser' });
    const never = () => Promise.reject(new Error('nothing is to be ended'));
    const starting = (nodes: readonly Awaited<ReturnType<typeof addNode>>[]) => async (node: KnownNode) =>
      (await nodes.find(({ instance }) => instance === node.record.instance)!.host.lease(shell, lessee)).info;

    it('is placed on another node after a fault, and takes one place of the quota', async () => {
      newFleet();
      const nodes = [await addNode(2), await addNode(2)];
      const { front } = await addFront({ perOwner: 1 });
      const tried: string[] = [];
      const start = (node: KnownNode) => {
        tried.push(node.record.instance);
        return tried.length === 1 ? Promise.reject(infra) : starting(nodes)(node);
      };
      const { id } = await front.place(shell, lessee, { start, end: never });
      expect([...tried].sort()).toEqual(nodes.map(({ instance }) => instance).sort());
      expect(id).toContain(tried[1]);
      await expect(lease(front)).rejects.toMatchObject({ limit: 'perOwner' });
      nodes.find(({ instance }) => instance === tried[1])!.host.release(id);
      await leaseAndKeep(front, 'anna', 10_000);
    });

    it('fails with the fault of its nodes, at once if no other node would help', async () => {
      newFleet();
      for (let i = 0; i < 2; i++) await addNode(2);
      const { front } = await addFront({ perOwner: 1 });
      const corrupt = new GyreError('corrupt', 'another frame', { field: 'page.hash' });
      for (const [error, times] of [
        [infra, 2],
        [corrupt, 1],
      ] as const) {
        let count = 0;
        const start = () => {
          count++;
          return Promise.reject(error);
        };
        await expect(front.place(shell, lessee, { start, end: never })).rejects.toBe(error);
        expect(count).toBe(times);
      }
      // Their place in the quota is free again.
      await leaseAndKeep(front, 'anna', 10_000);
    });

    it('is ended if its node does not know it, or its client has left', async () => {
      newFleet();
      const node = await addNode(2);
      const { front } = await addFront({ perOwner: 1 });
      const ended: string[] = [];
      const end = (_: KnownNode, session: string) => {
        ended.push(session);
        node.host.release(session);
        return Promise.resolve();
      };
      const unknown = async (known: KnownNode) => ({ ...(await starting([node])(known)), id: 'unknown' });
      await expect(front.place(shell, lessee, { start: unknown, end })).rejects.toMatchObject({ code: 'infra' });
      expect(ended).toEqual(['unknown']);
      for (const id of node.host.ids) node.host.release(id);
      const gone = new AbortController();
      const start = async (known: KnownNode) => {
        const info = await starting([node])(known);
        gone.abort();
        return info;
      };
      const placing = front.place({ ...shell, waitMs: 10_000 }, { ...lessee, signal: gone.signal }, { start, end });
      await expect(placing).rejects.toMatchObject({ code: 'infra' });
      expect(ended).toHaveLength(2);
      expect(node.host.ids).toEqual([]);
      await leaseAndKeep(front, 'anna', 10_000);
    });
  });

  it('survives a restart of NATS', async () => {
    newFleet();
    const { host, instance } = await addNode(3);
    const { front } = await addFront({ perOwner: 3 });
    await leaseAndKeep(front);
    await nats.kill();
    const during = leaseAndKeep(front, 'anna', 20_000);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await nats.resume();
    await during;
    expect(host.taken).toBe(2);
    expect(front.members.wasLost(instance)).toBe(false);
    await leaseAndKeep(front, 'anna', 10_000);
    await expect(lease(front)).rejects.toMatchObject({ code: 'infra' });
    for (const id of host.ids) host.release(id);
    await leaseAndKeep(front, 'anna', 10_000);
  });
});
