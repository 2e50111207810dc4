import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ControlGroup, findGroupPlaces, removeGroups } from './controlGroup.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gyre-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const limits = { memoryBytes: 2 ** 26, cpus: 1.5, processes: 40, diskBytes: 0 };
const text = (...path: string[]) => readFileSync(join(root, ...path), 'utf8').trim();

describe('control groups of version 2', () => {
  it('get their limits in the format of that version', () => {
    const place = { directory: root, version: 2, limits: ['memoryBytes', 'cpus', 'processes'] } as const;
    const group = ControlGroup.create([place], 'gyre-1', limits);
    expect(group.memberFiles.agent).toEqual([join(root, 'gyre', 'gyre-1', 'agent', 'cgroup.procs')]);
    expect(group.memberFiles.system).toEqual([join(root, 'gyre', 'gyre-1', 'system', 'cgroup.procs')]);
    expect(text('gyre', 'gyre-1', 'memory.max')).toBe(String(2 ** 26));
    expect(text('gyre', 'gyre-1', 'cpu.max')).toBe('150000 100000');
    expect(text('gyre', 'gyre-1', 'pids.max')).toBe('40');
    expect(Number(text('gyre', 'memory.max'))).toBeGreaterThan(2 ** 26);
  });

  it('are looked for where groups can have limits: not below the one that this process is in', () => {
    const ownGroup = join(root, 'slice', 'session');
    const proc = join(root, 'proc');
    mkdirSync(ownGroup, { recursive: true });
    mkdirSync(proc);
    writeFileSync(join(proc, 'cgroup'), '0::/slice/session\n');
    writeFileSync(
      join(proc, 'mountinfo'),
      `30 20 0:26 / ${root} rw,relatime - cgroup2 cgroup2 rw\n31 20 0:5 / /proc rw - proc proc rw\n`,
    );
    rmSync(ownGroup, { recursive: true });
    expect(findGroupPlaces(proc)).toMatchObject([{ directory: join(root, 'slice'), version: 2 }]);
  });
});

describe('control groups', () => {
  it('are unavailable if none are mounted', () => {
    expect(findGroupPlaces(join(root, 'nothing'))).toEqual([]);
  });

  it('that are gone already can be removed', async () => {
    await removeGroups([join(root, 'gone')]);
    mkdirSync(join(root, 'there'));
    await removeGroups([join(root, 'there'), join(root, 'gone')]);
    expect(existsSync(join(root, 'there'))).toBe(false);
  });
});
