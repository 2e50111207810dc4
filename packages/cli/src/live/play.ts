import { setTimeout as pause } from 'node:timers/promises';
import { GyreError, shownLines, type Verdict } from '@gyre/protocol';
import { type isolations, Sandbox, SandboxClient, serveSandbox, Tokens } from '@gyre/sandbox';
import { type AnyInstance, machineFamilies, startTask } from '@gyre/tasks';

/** How often it is looked what the player has earned, and how long the last screen stays, in ms. */
const everyMs = 200;
const lastMs = 2_000;

export interface PlayOptions {
  readonly isolation: (typeof isolations)[number];
  /** Where the live view is served; 0 is any that is free. */
  readonly port: number;
  readonly signal: AbortSignal;
  /** Told of the page on which the task is played, once it can be. */
  readonly onLink: (link: string, instruction: string) => void;
  /** Told of what was earned, whenever something was. */
  readonly onReward: (reward: number, total: number) => void;
  /** What the player answers, or '' for being done without an answer; asked again and again. */
  readonly answer: () => string | undefined;
}

/**
 * A person plays a task with mouse and keys, on the page of the live view. Returns the verdict when the task is over, and undefined
 * where `signal` ended it before. Throws what a session throws.
 */
export async function playByHand(instance: AnyInstance, options: PlayOptions): Promise<Verdict | undefined> {
  const token = Tokens.random();
  const sandbox = await Sandbox.start({ isolation: options.isolation });
  try {
    const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }], port: options.port });
    try {
      const client = new SandboxClient({ url: server.url, token });
      // Leased by the server, which shows it; used directly, as a task may be more than fits into a request.
      const { id } = await client.lease({
        kind: machineFamilies[instance.task.family]?.kind ?? 'browser',
        size: instance.task.screen,
      });
      const session = sandbox.sessions.find((one) => one.id === id);
      if (!session) throw new GyreError('infra', 'the session has ended', { fix: 'try again' });
      const run = await startTask(session, instance);
      const shown = new URLSearchParams({
        token,
        name: 'you',
        task: shownLines(run.task.instruction).join('\n'),
        play: 'yes',
      });
      options.onLink(`${server.url}/v1/sessions/${id}/view#${shown}`, run.task.instruction);
      let total = 0;
      for (;;) {
        if (options.signal.aborted) return undefined;
        const answer = options.answer();
        const { reward, done } = await run.step(answer === undefined ? undefined : answer === '' ? {} : { answer });
        total += reward;
        if (Math.abs(reward) > 1e-9) options.onReward(reward, total);
        if (done || answer !== undefined) break;
        await waited(everyMs, options.signal);
      }
      const verdict = await run.verdict();
      await waited(lastMs, options.signal);
      return verdict;
    } finally {
      await server.close();
    }
  } finally {
    await sandbox.close();
  }
}

/** Waits, but not when nobody wants to any more. */
async function waited(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
