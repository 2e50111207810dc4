import { availableParallelism } from 'node:os';
import { statfsSync } from 'node:fs';
import { GyreError } from '@gyre/protocol';
import { checkedNumber, longestMs } from '../checkedNumber.js';
import type { Limits } from '../isolation/enclosure.js';
import { hostMemory, sessionsShare } from './hostMemory.js';
import type { MachineTerms } from './machineTerms.js';
import type { Bytes } from './quotas.js';

/** Limits of a machine's resources, on its host and in this process. */
export interface MachineLimits extends Limits {
  /** Bytes that this process keeps for it: outputs of commands and jobs, and the rows of its terminals. */
  readonly outputBytes: number;
}

/** The most that one lease may ask for. The operator says it; a lease that asks for more is refused. */
export interface Maxima extends MachineLimits {
  /** Longest time to live and longest wait of a lease. */
  readonly ttlMs: number;
  readonly waitMs: number;
  /** Hosts that sessions may reach: none, a list, or any that a lease names. */
  readonly network: 'none' | 'any' | readonly string[];
}

/**
 * What all leases together may take, with the machines that are kept ready: of the host's memory (programs, their files where these are
 * in memory, and what this process keeps for them), and of its disk, where files of sessions lie there.
 */
export type Totals = Bytes;

/** Shares of the host's memory that a lease has which asks for nothing, and the bounds of that. */
const usual = { memory: 1 / 16, disk: 1 / 32 };
const usualBounds = { memory: [2 ** 29, 2 ** 31], disk: [2 ** 28, 2 ** 30] } as const;

/** Memory of this process that a device takes for a file in transit. */
const deviceBytes = 2 ** 28;

/** In ms. */
const usualTtlMs = 600_000;

/** Are files of sessions in memory? They are where root makes a file system for each session. */
const filesInMemory = (): boolean => process.getuid?.() === 0;

/** Default limits of a machine. */
export function usualLimits(): MachineLimits {
  const within = (bytes: number, [least, most]: readonly [number, number]) =>
    Math.floor(Math.min(Math.max(bytes, least), most));
  return {
    memoryBytes: within(hostMemory() * usual.memory, usualBounds.memory),
    cpus: Math.min(2, availableParallelism()),
    processes: 512,
    diskBytes: within(hostMemory() * usual.disk, usualBounds.disk),
    outputBytes: 2 ** 27,
  };
}

/** @param directory where files of sessions lie, or its nearest parent that there is. */
export function usualTotals(directory: string): Totals {
  const { bavail, bsize } = statfsSync(directory);
  return {
    memoryBytes: Math.floor(hostMemory() * sessionsShare),
    diskBytes: Math.floor(bavail * bsize * sessionsShare),
  };
}

/** Bounds of leases: one lease by the maxima, all by the totals. */
export class LeaseBounds {
  readonly totals: Totals;
  readonly #maxima: Maxima;

  /** Throws `bad_input` for maxima and totals that are none. */
  constructor(directory: string, maxima: Partial<Maxima> = {}, totals: Partial<Totals> = {}) {
    this.totals = { ...usualTotals(directory), ...totals };
    for (const [field, value] of Object.entries(this.totals)) checkedNumber(`totals.${field}`, value, anyBytes);
    const { memoryBytes, diskBytes } = this.totals;
    this.#maxima = {
      memoryBytes,
      cpus: availableParallelism(),
      processes: 4_096,
      diskBytes: filesInMemory() ? memoryBytes : diskBytes,
      outputBytes: 2 ** 30,
      ttlMs: longestMs,
      waitMs: longestMs,
      network: 'any',
      ...maxima,
    };
    const { network, ttlMs, waitMs, ...limits } = this.#maxima;
    checkedNumber('maxima.ttlMs', ttlMs, { least: 1, most: longestMs });
    checkedNumber('maxima.waitMs', waitMs, { least: 0, most: longestMs });
    for (const [field, value] of Object.entries(limits)) checkedNumber(`maxima.${field}`, value, anyBytes);
    if (network === 'none' || network === 'any' || (Array.isArray(network) && network.length > 0)) return;
    throw new GyreError('bad_input', 'maxima.network is none that there is', {
      field: 'maxima.network',
      fix: "give 'none', 'any' or a list of hosts",
    });
  }

  /** Default time to live. */
  get usualTtlMs(): number {
    return Math.min(usualTtlMs, this.#maxima.ttlMs);
  }

  /** Throws `bad_input` for a time that the operator does not allow. */
  checkTime({ ttlMs, waitMs }: { readonly ttlMs?: number | undefined; readonly waitMs?: number | undefined }): void {
    if (ttlMs !== undefined) checkedNumber('ttlMs', ttlMs, { least: 1, most: this.#maxima.ttlMs });
    if (waitMs !== undefined) checkedNumber('waitMs', waitMs, { least: 0, most: this.#maxima.waitMs });
  }

  /**
   * Returns the limits of a machine, whole. Throws `bad_input` that names the field and the maximum where the terms ask for more than
   * the operator allows: what was clamped would fail later, for no reason that its leaser could see.
   */
  limitsOf({ limits: given = {}, network, vm }: MachineTerms): MachineLimits {
    const maxima = this.#maxima;
    for (const [field, most] of Object.entries<number>({ ...limitFields(maxima) })) {
      const value = given[field as keyof MachineLimits];
      if (value === undefined) continue;
      checkedNumber(`limits.${field}`, value, {
        least: field === 'cpus' ? leastCpus : 1,
        most,
        whole: field !== 'cpus',
      });
    }
    if (vm?.memoryBytes !== undefined) {
      checkedNumber('vm.memoryBytes', vm.memoryBytes, { least: 1, most: maxima.memoryBytes });
    }
    this.#checkNetwork(network);
    const limits = { ...usualLimits(), ...definite(given) };
    // What is usual may be more than the operator allows.
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
        known.length > 0
          ? `name hosts of ${known.join(', ')}, as they are written here`
          : "lease it with network: 'none'",
    });
  }
}

/**
 * The part of a usual limit that is reserved. A browser takes 60 MiB and a desktop 30 MiB (`gyre bench platform`), a twentieth of the usual
 * limit: reserved in full, eight of them would fill a host that holds hundreds. Where many take more at once, the control group that holds
 * all sessions ends the largest of their programs, and nothing else of the host.
 */
const reservedPart = 1 / 8;

/** Returns what a machine takes of the totals: limits that its lease names in full, and a part of those that are usual. */
export function reserved(limits: MachineLimits, named: Partial<MachineLimits> = {}): Bytes {
  const part = (field: 'memoryBytes' | 'diskBytes' | 'outputBytes'): number =>
    named[field] === undefined ? Math.ceil(limits[field] * reservedPart) : limits[field];
  const [memoryBytes, diskBytes, outputBytes] = [part('memoryBytes'), part('diskBytes'), part('outputBytes')];
  // Files that are in memory are held by the host in addition to what programs take.
  const inMemory = filesInMemory();
  return {
    memoryBytes: memoryBytes + outputBytes + (inMemory ? diskBytes : 0),
    diskBytes: inMemory ? 0 : diskBytes,
  };
}

export const reservedByDevice: Bytes = { memoryBytes: deviceBytes, diskBytes: 0 };

/** A hundredth of a core: the kernel gives no less. */
const leastCpus = 0.01;
const anyBytes = { least: 0, most: Number.MAX_SAFE_INTEGER };

function limitFields({ memoryBytes, cpus, processes, diskBytes, outputBytes }: Maxima): MachineLimits {
  return { memoryBytes, cpus, processes, diskBytes, outputBytes };
}

function definite<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<Value>;
}
