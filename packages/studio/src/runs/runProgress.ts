import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { FolderLock, type LockState } from '@gyre/lake';
import { z } from 'zod';
import type { RunProgress, RunState } from '../server/trainingWire.js';
import type { RunJournal } from './runJournal.js';
import { shellWord } from './shellWord.js';

const Settings = z.looseObject({ minutes: z.number().positive().optional() });

/** Length at which the lock cuts commands. */
const cutCommand = 300;

export async function runProgress(
  directory: string,
  journal: RunJournal | undefined,
  now = Date.now(),
): Promise<RunProgress> {
  const lock = await FolderLock.look(directory);
  const state = stateOf(directory, lock);
  const budget = Settings.safeParse(await readJson(join(directory, 'settings.json'))).data?.minutes;
  const spent = journal?.minutes ?? 0;
  const path = journal && join(directory, journal.folder, 'state.json');
  const lastStage = path === undefined ? undefined : await stat(path).catch(() => undefined);
  // The stage under way began when the one before it was recorded, or when this process took the folder.
  const since = Math.max(lastStage?.mtimeMs ?? 0, lock?.since === undefined ? 0 : Date.parse(lock.since));
  const minutes = state === 'running' && since > 0 ? spent + Math.max(0, now - since) / 60_000 : spent;
  const resume = state === 'stopped' || state === 'killed' ? resumeCommand(directory, lock) : undefined;
  return {
    ...{ state, minutes },
    ...(budget !== undefined &&
      state !== 'done' && {
        share: Math.min(0.99, minutes / budget),
        minutesLeft: Math.max(0, budget - minutes),
      }),
    ...(journal?.lastStage !== undefined && { stage: journal.lastStage }),
    ...(resume !== undefined && { resume }),
  };
}

/** Whether it wrote what comes last. */
const results = ['result.json', 'trained.safetensors', 'trained.json'];

function stateOf(directory: string, lock: LockState | undefined): RunState {
  if (lock?.state === 'held') return 'running';
  if (results.some((name) => existsSync(join(directory, name)))) return 'done';
  if (!lock) return 'none';
  return lock.state === 'abandoned' ? 'killed' : 'stopped';
}

function resumeCommand(directory: string, lock: LockState | undefined): string | undefined {
  const { command = '' } = lock ?? {};
  const [, words = ''] = /^\S*\s+(.*)$/.exec(command) ?? [];
  const path = shellWord(shownPath(directory));
  if (words.startsWith('flywheel')) return `npx gyre flywheel --resume ${path}`;
  const resumes = /^train (?:ppo|grpo|vineppo|rft)\b/.test(words) && command.length < cutCommand;
  if (!resumes) return undefined;
  return `npx gyre ${words.includes('--resume') ? words : `${words} --resume`}`;
}

/** Returns a path from the working directory, or an absolute one where that would lead out of it. */
export function shownPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}
