import type { AgentAction, Point, Size } from '@gyre/protocol';
import type { SandboxSession } from '@gyre/sandbox';
import type { ScriptedTurn } from './template.js';

/** What scripted solutions are written with. */

export const type = (text: string): AgentAction => ({ type: 'type', text });
export const hotkey = (keys: string): AgentAction => ({ type: 'hotkey', keys });
export const wait = (seconds: number): AgentAction => ({ type: 'wait', seconds });
export const click = (point: Point): AgentAction => ({ type: 'click', point });
export const bash = (command: string): AgentAction => ({ type: 'execute_bash', command });

/** A place on a screen, in px, as actions have it. */
export const at = (x: number, y: number, { width, height }: Size): Point => ({ x: x / width, y: y / height });

export const turn = (thought: string, ...actions: readonly AgentAction[]): ScriptedTurn => ({ thought, actions });

/** The same turn, taken once something holds. */
export const once = (when: ScriptedTurn['when'], script: ScriptedTurn): ScriptedTurn => ({ ...script, when });

/** A window whose title has these words is in front. */
export const inFront =
  (words: string) =>
  async ({ desktop }: SandboxSession) =>
    ((await desktop?.windows()) ?? []).some(({ title, focused }) => focused && title.includes(words));

/** There is such a file. */
export const written =
  (path: string) =>
  async ({ files }: SandboxSession) =>
    files.stat(path).then(
      () => true,
      () => false,
    );
