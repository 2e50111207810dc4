import { availableParallelism } from 'node:os';
import { statfsSync } from 'node:fs';
import { GyreError } from '@gyre/protocol';
import { checkedNumber, maxTimerMs } from '../checkedNumber.js';
import type { Limits } from '../isolation/enclosure.js';
import { hostMemory, sessionsShare } from './hostMemory.js';
import type { MachineTerms } from './machineTerms.js';
import type { Bytes } from './quotas.js';

export interface MachineLimits extends Limits {
  /** Stored by this process for outputs and terminals. */
  readonly outputBytes: number;
}

/** The operator's limits per lease; exceeding one is refused. */
export interface Maxima extends MachineLimits {
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly network: 'none' | 'any' | readonly string[];
}

/**
 * Limits of all leases and warm machines together: memory (programs, tmpfs, this process's buffers), and files on disk.
 */
export type Totals = Bytes;

/** Shares of the host's memory. */
const defaultShares = { memory: 1 / 16, disk: 1 / 32 };
const defaultBounds = { memory: [2 ** 29, 2 ** 31], disk: [2 ** 28, 2 ** 30] } as const;

/** Memory of this process for a file in transit. */
const deviceBytes = 2 ** 28;

const defaultTtlMs = 600_000;

/** Only root can mount a tmpfs per session. */
const filesInMemory = (): boolean => process.getuid?.() === 0;

export function defaultMachineLimits(): MachineLimits {
  const within = (bytes: number, [min, max]: readonly [number, number]) =>
    Math.floor(Math.min(Math.max(bytes, min), max));
  return {
    memoryBytes: within(hostMemory() * defaultShares.memory, defaultBounds.memory),
    cpus: Math.min(2, availableParallelism()),
    processes: 512,
    diskBytes: within(hostMemory() * defaultShares.disk, defaultBounds.disk),
    outputBytes: 2 ** 27,
  };
}

/** @param directory on the sessions' disk. */
export function defaultTotals(directory: string): Totals {
  const { bavail, bsize } = statfsSync(directory);
  return {
    memoryBytes: Math.floor(hostMemory() * sessionsShare),
    diskBytes: Math.floor(bavail * bsize * sessionsShare),
  };
}

export class LeaseBounds {
  readonly totals: Totals;
  readonly #maxima: Maxima;

  constructor(directory: string, maxima: Partial<Maxima> = {}, totals: Partial<Totals> = {}) {
    this.totals = { ...defaultTotals(directory), ...totals };
    for (const [field, value] of Object.entries(this.totals)) checkedNumber(`totals.${field}`, value, anyBytes);
    const { memoryBytes, diskBytes } = this.totals;
    this.#maxima = {
      memoryBytes,
      cpus: availableParallelism(),
      processes: 4_096,
      diskBytes: filesInMemory() ? memoryBytes : diskBytes,
      outputBytes: 2 ** 30,
      ttlMs: maxTimerMs,
      waitMs: maxTimerMs,
      network: 'any',
      ...maxima,
    };
    const { network, ttlMs, waitMs, ...limits } = this.#maxima;
    checkedNumber('maxima.ttlMs', ttlMs, { min: 1, max: maxTimerMs });
    checkedNumber('maxima.waitMs', waitMs, { min: 0, max: maxTimerMs });
    for (const [field, value] of Object.entries(limits)) checkedNumber(`maxima.${field}`, value, anyBytes);
    if (network === 'none' || network === 'any' || (Array.isArray(network) && network.length > 0)) return;
    throw new GyreError('bad_input', 'maxima.network is invalid', {
      field: 'maxima.network',
      fix: "use 'none', 'any' or a list of hosts",
    });
  }

  get defaultTtlMs(): number {
    return Math.min(defaultTtlMs, this.#maxima.ttlMs);
  }

  checkTime({ ttlMs, waitMs }: { readonly ttlMs?: number | undefined; readonly waitMs?: number | undefined }): void {
    if (ttlMs !== undefined) checkedNumber('ttlMs', ttlMs, { min: 1, max: this.#maxima.ttlMs });
    if (waitMs !== undefined) checkedNumber('waitMs', waitMs, { min: 0, max: this.#maxima.waitMs });
  }

  /** Throws `bad_input` beyond the maxima: a clamped machine would fail later for no visible reason. */
  limitsOf({ limits: requested = {}, network, vm }: MachineTerms): MachineLimits {
    const maxima = this.#maxima;
    for (const [field, maximum] of Object.entries<number>({ ...limitFields(maxima) })) {
      const value = requested[field as keyof MachineLimits];
      if (value === undefined) continue;
      checkedNumber(`limits.${field}`, value, {
        min: field === 'cpus' ? minCpus : 1,
        max: maximum,
        whole: field !== 'cpus',
      });
    }
    if (vm?.memoryBytes !== undefined) {
      checkedNumber('vm.memoryBytes', vm.memoryBytes, { min: 1, max: maxima.memoryBytes });
    }
    this.#checkNetwork(network);
    const limits = { ...defaultMachineLimits(), ...definite(requested) };
    return {
      memoryBytes: Math.min(limits.memoryBytes, maxima.memoryBytes),
      cpus: Math.min(limits.cpus, maxima.cpus),
      processes: Math.min(limits.processes, maxima.processes),
      diskBytes: Math.min(limits.diskBytes, maxima.diskBytes),
      outputBytes: Math.min(limits.outputBytes, maxima.outputBytes),
    };
  }

  #checkNetwork(network: MachineTerms['network']): void {
    const { network: allowed } = this.#maxima;
    if (network === undefined || network === 'none' || allowed === 'any') return;
    const known: readonly string[] = allowed === 'none' ? [] : allowed;
    const strange = network.allow.find((host) => !known.includes(host));
    if (strange === undefined) return;
    throw new GyreError('bad_input', `sessions here may not reach ${JSON.stringify(strange)}`, {
      field: 'network.allow',
      fix:
        known.length > 0 ? `use these hosts, exactly as written: ${known.join(', ')}` : "lease it with network: 'none'",
    });
  }
}

/**
 * Reserved part of a default. Browsers (60 MiB) and desktops (30 MiB) use about a twentieth: reserved in full, eight
 * would fill a host that holds hundreds. Under pressure, the kernel kills the largest program in the sessions' control
 * group, and nothing else.
 */
const reservedPart = 1 / 8;

/** Counts explicit limits in full, defaults in part. */
export function reserved(limits: MachineLimits, named: Partial<MachineLimits> = {}): Bytes {
  const part = (field: 'memoryBytes' | 'diskBytes' | 'outputBytes'): number =>
    named[field] === undefined ? Math.ceil(limits[field] * reservedPart) : limits[field];
  const [memoryBytes, diskBytes, outputBytes] = [part('memoryBytes'), part('diskBytes'), part('outputBytes')];
  // A tmpfs adds to the programs' memory.
  const inMemory = filesInMemory();
  return {
    memoryBytes: memoryBytes + outputBytes + (inMemory ? diskBytes : 0),
    diskBytes: inMemory ? 0 : diskBytes,
  };
}

export const reservedByDevice: Bytes = { memoryBytes: deviceBytes, diskBytes: 0 };

/** The kernel's minimum. */
const minCpus = 0.01;
const anyBytes = { min: 0, max: Number.MAX_SAFE_INTEGER };

function limitFields({ memoryBytes, cpus, processes, diskBytes, outputBytes }: Maxima): MachineLimits {
  return { memoryBytes, cpus, processes, diskBytes, outputBytes };
}

function definite<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<Value>;
}
