import { setTimeout as pause } from 'node:timers/promises';
import { type AgentAction, GyreError, shownLines, type Verdict } from '@gyre/protocol';
import { type isolations, type Machines, Sandbox, SandboxClient, serveSandbox, AccessTokens } from '@gyre/sandbox';
import { type AnyInstance, openTask } from '@gyre/tasks';

/** How often the reward is read, and how long the last screen stays, in ms. */
const everyMs = 200;
const lastMs = 2_000;

export interface PlayOptions {
  readonly isolation: (typeof isolations)[number];
  /** Where the live view is served; 0 is any that is free. */
  readonly port: number;
  readonly signal: AbortSignal;
  /** Receives the address of the page on which the task is played, once it is ready. */
  readonly onLink: (link: string, instruction: string) => void;
  /** Receives every reward. */
  readonly onReward: (reward: number, total: number) => void;
  /** Polled for the player's answer: '' is done without one, undefined is not done. */
  readonly answer: () => string | undefined;
}

/**
 * Lets a person play a task with mouse and keys, on the page of the live view. Returns the verdict when the task is over, and undefined
 * where `signal` ended it before. Throws what the environment throws.
 */
export async function playByHand(instance: AnyInstance, options: PlayOptions): Promise<Verdict | undefined> {
  const token = AccessTokens.random();
  const sandbox = await Sandbox.start({ isolation: options.isolation });
  try {
    const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }], port: options.port });
    try {
      const client = new SandboxClient({ url: server.url, token });
      let id = '';
      // Leased by the server, which shows it; used directly, as a task may be more than fits into a request.
      const lease: Machines['lease'] = async ({ size, machine = 'browser' }) => {
        ({ id } = await client.lease({ kind: machine, size }));
        const session = sandbox.sessions.find((leased) => leased.id === id);
        if (!session) throw new GyreError('infra', 'the session has ended', { part: 'lease', fix: 'try again' });
        return session;
      };
      const environment = openTask(instance, { lease });
      await environment.reset();
      const { instruction } = environment.task;
      const shown = new URLSearchParams({
        token,
        name: 'you',
        task: shownLines(instruction).join('\n'),
        play: 'yes',
      });
      options.onLink(`${server.url}/v1/sessions/${id}/view#${shown.toString()}`, instruction);
      let total = 0;
      for (;;) {
        if (options.signal.aborted) return undefined;
        const answer = options.answer();
        const { reward, done } = await environment.step(answer === undefined ? [] : [finished(answer)]);
        total += reward;
        if (Math.abs(reward) > 1e-9) options.onReward(reward, total);
        if (done || answer !== undefined) break;
        await waited(everyMs, options.signal);
      }
      const verdict = await environment.verdict();
      await waited(lastMs, options.signal);
      return verdict;
    } finally {
      await server.close();
    }
  } finally {
    await sandbox.close();
  }
}

const finished = (answer: string): AgentAction => ({ type: 'finished', ...(answer !== '' && { answer }) });

/** Waits until the time is over or the signal is aborted. */
async function waited(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
