import type { AgentAction, Frame } from '@gyre/protocol';
import { isTold, printAction } from './actions.js';
import type { OnlineTask } from './task.js';
import { type ActionStep, printAnswer, screenshotName, type Trajectory } from './trajectory.js';

/** A page as the agent saw it before it acted. */
export interface Seen {
  readonly frame: Frame;
  readonly url: string | null;
}

/**
 * Collects an episode as Online-Mind2Web's steps: one per action, with the screen that its turn began with. The last
 * step is the answer, with the last screen. Thoughts are null: an environment does not hear them.
 */
export class Recording {
  readonly #task: OnlineTask;
  readonly #steps: ActionStep[] = [];
  readonly #screenshots: Uint8Array[] = [];
  #answer: string | null = null;

  constructor(task: OnlineTask) {
    this.#task = task;
  }

  /** @param refused whether the last action was refused */
  turn(actions: readonly AgentAction[], before: Seen, refused: boolean): void {
    for (const [index, action] of actions.entries()) {
      if (action.type === 'finished') this.#answer = action.answer?.trim() || null;
      if (!isTold(action)) continue;
      const status = refused && index === actions.length - 1 ? 'FAILED' : 'SUCCESS';
      const url = action.type === 'navigate' ? destination(action.url) : before.url;
      this.#add(`${printAction(action, before.frame.size)} | ${status}`, status, { ...before, url });
    }
  }

  finish(last: Seen): Trajectory {
    const { task_id, confirmed_task: task, reference_length } = this.#task;
    this.#add(printAnswer(this.#answer), null, last);
    return {
      result: {
        ...{ schema_version: 'online-mind2web-v2', task, task_id, agent_final_answer: this.#answer },
        ...{ reference_length, action_history: [...this.#steps] },
      },
      screenshots: [...this.#screenshots],
    };
  }

  #add(action: string, status: 'SUCCESS' | 'FAILED' | null, { frame, url }: Seen): void {
    const step = this.#steps.length;
    const screenshot = screenshotName(step);
    this.#steps.push({ step, screenshot, url, action, action_status: status, thought: null });
    this.#screenshots.push(frame.png);
  }
}

/** As the browser completes an address. */
const destination = (url: string) => (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : `https://${url}`);
