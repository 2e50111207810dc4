import type { AgentAction, Point, Size } from '@gyre/protocol';
import type { SandboxSession } from '@gyre/sandbox';
import type { ScriptedTurn } from './template.js';

export const type = (text: string): AgentAction => ({ type: 'type', text });
export const hotkey = (keys: string): AgentAction => ({ type: 'hotkey', keys });
export const wait = (seconds: number): AgentAction => ({ type: 'wait', seconds });
export const click = (point: Point): AgentAction => ({ type: 'click', point });

/** Converts screen px to an action's point. */
export const pointAt = (x: number, y: number, { width, height }: Size): Point => ({ x: x / width, y: y / height });

export const turn = (thought: string, ...actions: readonly AgentAction[]): ScriptedTurn => ({ thought, actions });

/** Delays a turn until a condition holds. */
export const turnWhen = (when: ScriptedTurn['when'], script: ScriptedTurn): ScriptedTurn => ({ ...script, when });

/** Returns whether the front window's title contains these words. */
export const isWindowInFront =
  (words: string) =>
  async ({ desktop }: SandboxSession) =>
    ((await desktop?.windows()) ?? []).some(({ title, focused }) => focused && title.includes(words));

export const isFileWritten =
  (path: string) =>
  async ({ files }: SandboxSession) =>
    files.stat(path).then(
      () => true,
      () => false,
    );
