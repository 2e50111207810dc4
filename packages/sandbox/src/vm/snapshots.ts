import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { diskNode } from './arguments.js';
import type { Qmp } from './qmp.js';

/** Covers the guest's whole memory. */
const boundMs = 300_000;

const Jobs = z.array(z.object({ id: z.string(), status: z.string(), error: z.string().optional() }));
const Nodes = z.array(
  z.object({
    'node-name': z.string().optional(),
    image: z.object({ snapshots: z.array(z.object({ name: z.string() })).default([]) }),
  }),
);

/** Memory, processor, devices and disk, stored on the disk. */
export class Snapshots {
  readonly #qmp: Qmp;

  constructor(qmp: Qmp) {
    this.#qmp = qmp;
  }

  /** Overwrites. Throws `infra`, mostly for a full disk. */
  async save(name: string): Promise<void> {
    checkName(name);
    if ((await this.names()).includes(name)) await this.delete(name);
    await this.#do('snapshot-save', { tag: name, vmstate: diskNode, devices: [diskNode] });
  }

  /** Throws `bad_input` for an unknown name. */
  async load(name: string): Promise<void> {
    await this.#checkThere(name);
    await this.#do('snapshot-load', { tag: name, vmstate: diskNode, devices: [diskNode] });
  }

  async delete(name: string): Promise<void> {
    await this.#checkThere(name);
    await this.#do('snapshot-delete', { tag: name, devices: [diskNode] });
  }

  /** Oldest first. */
  async names(): Promise<string[]> {
    const nodes = Nodes.parse(await this.#qmp.ask('query-named-block-nodes', { flat: true }));
    const disk = nodes.find((node) => node['node-name'] === diskNode);
    return disk?.image.snapshots.map(({ name }) => name) ?? [];
  }

  async #checkThere(name: string): Promise<void> {
    checkName(name);
    const names = await this.names();
    if (names.includes(name)) return;
    throw new GyreError('bad_input', `the machine has no snapshot ${name}`, {
      field: 'snapshot',
      fix: names.length === 0 ? 'take one first' : `use one of ${names.join(', ')}`,
    });
  }

  async #do(command: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    const id = `gyre-${randomUUID()}`;
    await this.#qmp.ask(command, { ...args, 'job-id': id });
    const job = await this.#concluded(id);
    await this.#qmp.ask('job-dismiss', { id });
    if (job.error === undefined) return;
    throw new GyreError('infra', `${command} failed: ${job.error}`, {
      part: 'vm',
      field: 'snapshot',
      fix: 'give the session more disk (limits.diskBytes): a snapshot needs as much as the memory in use',
    });
  }

  async #concluded(id: string): Promise<z.infer<typeof Jobs>[number]> {
    for (const deadline = performance.now() + boundMs; performance.now() < deadline; await pause(10)) {
      // QEMU answers nothing during a snapshot.
      const jobs = Jobs.parse(await this.#qmp.ask('query-jobs', {}, boundMs));
      const job = jobs.find((each) => each.id === id);
      if (job?.status === 'concluded') return job;
    }
    throw new GyreError('infra', `a snapshot took more than ${boundMs} ms`, { part: 'vm', field: 'snapshot' });
  }
}

function checkName(name: string): void {
  if (/^[A-Za-z][A-Za-z0-9_.-]{0,62}$/.test(name)) return;
  throw new GyreError('bad_input', `"${name}" is not a snapshot name`, {
    field: 'snapshot',
    fix: 'use up to 63 letters, digits, _, . and -, starting with a letter',
  });
}
