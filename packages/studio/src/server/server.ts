import { AccessTokens, errorReply, guardedServer, listen, ServerAccess, type ServerAccessOptions } from '@gyre/sandbox';
import { TaskSessions } from '@gyre/agent';
import { RunsFollower } from '../follow/runsFollower.js';
import { annotateRoutes } from './annotate.js';
import { episodeRoutes } from './episodeRoutes.js';
import { findRoutes } from './findRoutes.js';
import { liveRoutes, type LiveTerms } from './liveRoutes.js';
import { pageFiles } from './pageFiles.js';
import { playRoutes } from './playRoutes.js';
import { replayRoutes, type StudioPolicies } from './replayRoutes.js';
import { type RecordedBaseline, resultsRoutes } from './resultsRoutes.js';
import { RunFolders } from './runFolders.js';
import { type SpeechTerms, speechRoutes } from './speechRoutes.js';
import { streamRoutes } from './streamRoutes.js';
import { trainingRoutes } from './trainingRoutes.js';

export interface StudioOptions
  extends Omit<ServerAccessOptions, 'anonymous'>, Pick<LiveTerms, 'nextTask'>, Pick<SpeechTerms, 'transcriber'> {
  /** Folders of runs, or folders that contain them. */
  readonly runs: readonly string[];
  readonly policies: StudioPolicies;
  /** Recorded results of random actions and scripted solutions. Default: none. */
  readonly baselines?: readonly RecordedBaseline[];
  /** Default: 0, any free port. */
  readonly port?: number;
}

export interface StudioServer {
  /** With the token behind `#`, which browsers never send. */
  readonly link: string;
  readonly url: string;
  close(): Promise<void>;
}

const bodyLimit = 2 ** 16;
/** For replays, forks and annotators. */
const sessionsPerBrowser = 8;

/**
 * Serves the studio: a page with the episodes of runs, live or ended. Everything but the page's own files needs the token.
 *
 * @throws GyreError `bad_input` for malformed options; `infra` if it cannot listen at the port
 */
export async function serveStudio(options: StudioOptions): Promise<StudioServer> {
  const { host = '127.0.0.1', port = 0, policies, baselines = [] } = options;
  const { access, token } = accessOf(options);
  const damaged = new Map<string, string[]>();
  const runs = new RunFolders(options.runs, (run, { file, reason }) => {
    const list = damaged.get(run) ?? [];
    damaged.set(run, [...new Set([...list, `${file}: ${reason}`])].slice(0, 50));
  });
  const app = guardedServer(access, { bodyLimit });
  app.setErrorHandler((error, _, reply) => {
    const { status, body } = errorReply(error);
    return reply.status(status).send(body);
  });
  const onRequest = access.may('watch');

  pageFiles(app, access);
  app.get('/health', { onRequest: access.open }, () => ({ status: 'healthy' }));
  app.get('/api/runs', { onRequest }, () => runs.list());
  app.get<{ Params: { run: string } }>(
    '/api/runs/:run/damage',
    { onRequest },
    ({ params }) => damaged.get(params.run) ?? [],
  );
  episodeRoutes(app, { access, runs });
  findRoutes(app, { access, runs });
  trainingRoutes(app, { access, runs });
  resultsRoutes(app, { access, runs, baselines });
  const follower = new RunsFollower(runs);
  streamRoutes(app, { access, follower });
  const onControl = (run: string, id: string) => follower.log.add({ type: 'episode.control', run, id });
  liveRoutes(app, { access, runs, nextTask: options.nextTask, onControl });
  const closeSpeech = speechRoutes(app, { access, runs, transcriber: options.transcriber });
  let pool: TaskSessions | undefined;
  const machines = () => (pool ??= new TaskSessions({ browsers: 1, sessionsPerBrowser }));
  const endReplays = replayRoutes(app, { access, runs, policies, machines });
  const closePlays = playRoutes(app, { access, runs, machines });
  const closeDesks = annotateRoutes(app, { access, runs, policies, machines });

  const url = await listen(app, { host, port });
  return {
    url,
    link: `${url}/#token=${token}`,
    async close() {
      endReplays();
      await closePlays();
      await follower.close();
      await closeDesks();
      await closeSpeech();
      await pool?.close();
      await app.close();
      await runs.close();
    },
  };
}

/** Without a token, generates one; a host that others reach needs a token that they know beforehand. */
function accessOf(options: ServerAccessOptions): { readonly access: ServerAccess; readonly token: string } {
  const access = new ServerAccess(options);
  const [known] = options.tokens ?? [];
  if (known) return { access, token: known.token };
  const token = AccessTokens.random();
  return { access: new ServerAccess({ ...options, tokens: [{ token, scope: 'operate' }] }), token };
}
