import {
  type ControlSocket,
  EpisodeControl,
  openControlSocket,
  type SearchService,
  TaskSessions,
  runEpisode,
  sessionSdk,
} from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { type Environment, GyreError, type Size, type Task } from '@gyre/protocol';
import { BrowserPool, Sandbox, type Session, SessionEnvironment, browserOf, isolations } from '@gyre/sandbox';
import { freeTask, type AnyInstance, isTaskId, openTask, taskOf } from '@gyre/tasks';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { command } from '../command.js';
import { Cockpit } from '../live/cockpit.js';
import { episodeKeys } from '../live/episodeKeys.js';
import { addSuites, expectDesktop, expectInstalled } from '../families/families.js';
import { addedSuiteFlags } from '../flags/familyFlags.js';
import { address, count, oneOf, optionalCount, optionalPositive, optionalWords, outputFolder } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { halfBlocks } from '../terminal/halfBlocks.js';
import { loadFlags, loadTerms } from '../flags/loadFlags.js';
import { openPolicy, policyFlags } from '../policies/policies.js';
import { searchBy, searchFlags } from '../flags/search.js';
import { turnLine } from '../terminal/turnLine.js';

const defaultScreen = { width: 1280, height: 720 };

export const run = command({
  description:
    'Runs one episode, prints each turn, and stores the episode in the lake. Anything but a task id is an instruction: it is carried out in an isolated browser or desktop, without a verdict. In a terminal, keys pause or stop the episode, or print the address of a page on which you take it over.',
  examples: [
    'gyre run form/test/3 --policy oracle',
    'gyre run click/test/7 --checkpoint runs/trained.safetensors',
    'gyre run "find the price of the red kettle" --url https://example.org --model http://127.0.0.1:8000/v1',
    'gyre run "write a poem and save it" --env desktop --model http://127.0.0.1:8000/v1',
  ],
  arguments: [
    {
      name: 'task',
      description: 'FAMILY/SPLIT/SEED, or an instruction',
      schema: z.string().min(1),
      example: 'click/test/7',
    },
  ] as const,
  flags: {
    ...policyFlags,
    env: oneOf(['browser', 'desktop'], 'environment of an instruction', { default: 'browser' }),
    url: address('first page of the browser', { default: undefined }),
    allow: optionalWords('extra hosts the browser may reach, and local ports such as 127.0.0.1:3000 (default: none)', {
      example: 'example.org,*.wikipedia.org',
    }),
    size: optionalSize('screen of an instruction (default: 1280x720)'),
    turns: count('maximum turns of an instruction', { default: 30 }),
    minutes: optionalPositive('start no turn after this many minutes (default: no limit)', { example: '10' }),
    ...loadFlags,
    isolation: oneOf(isolations, 'sandbox isolation (auto picks the strongest available; "none" must be explicit)', {
      default: 'auto',
    }),
    pictures: optionalCount('draw the screen after each turn, this many columns wide (default: off)', {
      example: '60',
    }),
    ...searchFlags,
    ...addedSuiteFlags,
    directory: outputFolder('directory of the lake', { default: 'runs' }),
  },
  async run({ directory, ...flags }, { terminal, signal, seed }, named) {
    await addSuites(flags);
    const instance = isTaskId(named) ? taskOf(named) : undefined;
    const task = instance?.task ?? freeTask(named, flags.size ?? defaultScreen, flags.turns, seed);
    const openTarget: OpenTarget = instance ? taskTarget(instance) : instructionTarget(named, flags);
    if (instance) expectInstalled(task.family);
    else if (flags.env === 'desktop' && flags.isolation !== 'podman') expectDesktop();
    const search = searchBy(flags)(task);
    const opened = await openPolicy(flags);
    const { policy, screenshots } = opened;
    const lake = await Lake.open(join(directory, 'lake'));
    let target: EpisodeTarget | undefined;
    let giveBack: (() => void) | undefined;
    let controls: ControlSocket | undefined;
    const cockpit = new Cockpit(directory);
    try {
      target = await openTarget(task, search, signal);
      terminal.print(instance ? `${task.id}: ${task.instruction}` : task.instruction);
      const byKeys = process.stdin.isTTY && process.stdout.isTTY && !terminal.json;
      const id = randomUUID();
      const control = new EpisodeControl();
      controls = await openControlSocket(lake.directory);
      controls?.desk.add(id, control);
      const link = () => cockpit.link(id);
      if (byKeys) giveBack = episodeKeys({ control, keyboard: process.stdin, terminal, link });
      // Keeps turns in order.
      let printing: Promise<void> = Promise.resolve();
      const { pictures } = flags;
      const episode = await runEpisode({
        id,
        environment: target.environment,
        policy,
        lake,
        purpose: 'run',
        seed,
        screenshots,
        // Without a verifier, repeated actions end the episode.
        ...(!instance && { repeats: 4 }),
        ...(flags.minutes !== undefined && { episodeMs: flags.minutes * 60_000 }),
        signal,
        control,
        onTurn: (turn, frame) => {
          printing = printing.then(async () => {
            terminal.print(turnLine(turn));
            if (pictures !== undefined) terminal.picture(await halfBlocks(frame.png, pictures));
          });
        },
      });
      await printing;
      giveBack?.();
      giveBack = undefined;
      const { end, verdict } = episode;
      const success = verdict && `${verdict.success ? 'success' : 'failed'}, score ${verdict.score.toFixed(2)}`;
      terminal.print(success ?? (end.state === 'infra_error' ? `infra_error: ${end.message}` : end.state));
      for (const line of opened.statistics?.() ?? []) terminal.print(line);
      terminal.print(`episode ${episode.id}`);
      const result = {
        episode: episode.id,
        task: task.id,
        policy: policy.name,
        end,
        verdict,
        turns: episode.turns.map(({ index, actions, reward }) => ({ index, actions, reward })),
      };
      return { ok: end.state !== 'infra_error' && end.state !== 'cut', result };
    } finally {
      giveBack?.();
      await Promise.allSettled([cockpit.close(), controls?.close()]);
      await Promise.allSettled([target?.close(), lake.close(), opened.close()]);
    }
  },
});

interface EpisodeTarget {
  readonly environment: Environment;
  close(): Promise<void>;
}

type OpenTarget = (task: Task, search: SearchService | undefined, signal: AbortSignal) => Promise<EpisodeTarget>;

function taskTarget(instance: AnyInstance): OpenTarget {
  return (_, search, signal) => {
    const sessions = new TaskSessions({ browsers: 1, sessionsPerBrowser: 1, signal });
    const environment = openTask(instance, { lease: (needs) => sessions.lease(needs), sdk: sessionSdk(search) });
    return Promise.resolve({ environment, close: () => sessions.close() });
  };
}

interface OpenSession {
  readonly session: Session;
  close(): Promise<void>;
}

/** @throws GyreError `bad_input` if no first page is given. */
function instructionTarget(
  named: string,
  {
    env,
    url,
    allow = [],
    isolation,
    ...load
  }: {
    env: 'browser' | 'desktop';
    url?: string | undefined;
    allow?: string[] | undefined;
    isolation: (typeof isolations)[number];
    loadSeconds?: number | undefined;
    ignoreCertificateErrors: boolean;
  },
): OpenTarget {
  if (env === 'browser' && (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))) {
    const problem =
      url === undefined ? `"${named}" is not a task id, and --url is missing` : `"${url}" is not the URL of a page`;
    throw new GyreError('bad_input', problem, {
      field: '--url',
      fix: 'add the first page, such as --url https://example.org, or name a task, such as click/test/7',
    });
  }
  return async (task, search, signal) => {
    const { session, ...target } =
      isolation === 'none' && env === 'browser'
        ? await openOnHost(task.screen, loadTerms(load))
        : await openIsolated(task.screen, signal);
    try {
      if (url !== undefined) await openPage(session, url);
    } catch (error) {
      await target.close();
      throw error;
    }
    const machines = { lease: () => Promise.resolve(session), sdk: sessionSdk(search) };
    return { ...target, environment: new SessionEnvironment({ task, machines }) };
  };

  async function openIsolated(screen: Size, signal: AbortSignal): Promise<OpenSession> {
    const sandbox = await Sandbox.start({ isolation });
    const hosts = [...(url === undefined ? [] : [hostOf(new URL(url))]), ...allow];
    const network = hosts.length === 0 ? {} : { network: { allow: hosts } };
    const session = await sandbox
      .lease({ kind: env, clock: 'free', size: screen, signal, ...loadTerms(load), ...network })
      .catch(async (error: unknown) => {
        await sandbox.close();
        throw error;
      });
    return { session, close: () => sandbox.close() };
  }
}

/** Allow-lists name local hosts with their port. */
function hostOf({ protocol, hostname, host, port }: URL): string {
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return port === '' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? `${hostname}:${defaultPort}` : host;
}

async function openOnHost(screen: Size, terms: ReturnType<typeof loadTerms>): Promise<OpenSession> {
  const pool = await BrowserPool.launch({ clock: 'free', network: 'any' });
  const session = await pool.lease({ size: screen, ...terms });
  return { session, close: () => pool.close() };
}

async function openPage(session: Session, url: string): Promise<void> {
  await session.screen.act({ type: 'navigate', url });
  const { failed } = browserOf(session).page;
  if (failed === undefined) return;
  throw new GyreError('infra', `cannot open ${url}: ${failed}`, {
    part: 'network',
    field: '--url',
    fix: 'check that the server runs; add --ignore-certificate-errors if its certificate is invalid',
  });
}
