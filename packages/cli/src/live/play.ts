import { setTimeout as pause } from 'node:timers/promises';
import { type AgentAction, GyreError, shownLines, type Verdict } from '@gyre/protocol';
import { type isolations, type Machines, Sandbox, SandboxClient, serveSandbox, AccessTokens } from '@gyre/sandbox';
import { type AnyInstance, openTask } from '@gyre/tasks';

const pollMs = 200;
const lingerMs = 2_000;

export interface PlayOptions {
  readonly isolation: (typeof isolations)[number];
  /** 0 picks a free port. */
  readonly port: number;
  readonly signal: AbortSignal;
  readonly onLink: (link: string, instruction: string) => void;
  readonly onReward: (reward: number, total: number) => void;
  /** Polled: '' finishes without an answer, undefined continues. */
  readonly answer: () => string | undefined;
}

/** Resolves to undefined if `signal` aborts it. Throws what the environment throws. */
export async function playByHand(instance: AnyInstance, options: PlayOptions): Promise<Verdict | undefined> {
  const token = AccessTokens.random();
  const sandbox = await Sandbox.start({ isolation: options.isolation });
  try {
    const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }], port: options.port });
    try {
      const client = new SandboxClient({ url: server.url, token });
      let id = '';
      // Leased through the server, which shows it, but used directly: a task may exceed a request's size.
      const lease: Machines['lease'] = async ({ size, machine = 'browser' }) => {
        ({ id } = await client.lease({ kind: machine, size }));
        const session = sandbox.sessions.find((leased) => leased.id === id);
        if (!session) throw new GyreError('infra', 'the session has ended', { part: 'lease', fix: 'try again' });
        return session;
      };
      const environment = openTask(instance, { lease });
      await environment.reset();
      const { instruction } = environment.task;
      const parameters = new URLSearchParams({
        token,
        name: 'you',
        task: shownLines(instruction).join('\n'),
        play: 'yes',
      });
      options.onLink(`${server.url}/v1/sessions/${id}/view#${parameters.toString()}`, instruction);
      let total = 0;
      for (;;) {
        if (options.signal.aborted) return undefined;
        const answer = options.answer();
        const { reward, done } = await environment.step(answer === undefined ? [] : [finished(answer)]);
        total += reward;
        if (Math.abs(reward) > 1e-9) options.onReward(reward, total);
        if (done || answer !== undefined) break;
        await sleep(pollMs, options.signal);
      }
      const verdict = await environment.verdict();
      await sleep(lingerMs, options.signal);
      return verdict;
    } finally {
      await server.close();
    }
  } finally {
    await sandbox.close();
  }
}

const finished = (answer: string): AgentAction => ({ type: 'finished', ...(answer !== '' && { answer }) });

/** Resolves early if the signal is aborted. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
