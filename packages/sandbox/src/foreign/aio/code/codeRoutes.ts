import { randomUUID } from 'node:crypto';
import type { Tools } from '../../../tools/tools.js';
import { jsonFields, numberField, textField } from '../../served/request.js';
import { quotedWords } from '../../../shell/shellWords.js';
import { Kernels, maxKernels, type Kernel, type KernelLanguage, type Output, type Ran } from './kernels.js';
import type { SessionPaths } from '../files/paths.js';
import { done, missing, optionalRecord, optionalText, refuse, type Fields, type Routes } from '../route.js';

const defaultSeconds = 30;
const maxSeconds = 300;
const pythonIdle = 1_800;
const nodeIdle = 86_400;
const maxOutput = 2 ** 20;
const programs = { python: ['python3', 'main.py'], javascript: ['node', 'main.js'] } as const;

interface Executed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Uses the session's python3 and node. */
export function codeRoutes(paths: SessionPaths, tools: Tools | undefined): Routes {
  const kernels = {
    python: new Kernels('python', tools, paths.home),
    javascript: new Kernels('javascript', tools, paths.home),
  };

  return {
    'GET /v1/code/info': async () => {
      const languages = await Promise.all(
        (['python', 'javascript'] as const).map(async (language) => ({
          language,
          description: `Runs ${programs[language][0]} of the session`,
          runtime_version: await versionOf(language),
          default_timeout: defaultSeconds,
          max_timeout: maxSeconds,
          details: {},
        })),
      );
      return done({ languages: languages.filter(({ runtime_version }) => runtime_version !== null) });
    },
    'POST /v1/code/execute': async (request) => {
      const fields = await jsonFields(request);
      const language = languageOf(fields);
      const code = textField(fields, 'code');
      const answer = { language, code };
      if (fields.stateful === true) {
        const { ran, kernel } = await inKernel(language, fields, code);
        const exit_code = ran.status === 'ok' ? 0 : 1;
        const { stdout, stderr, traceback } = textsOf(ran.outputs);
        return done({ ...answer, ...ran, stdout, stderr, exit_code, traceback, session_id: kernel.id });
      }
      const { stdout, stderr, exitCode } = await once(language, fields, code);
      const status = exitCode === 0 ? 'ok' : 'error';
      const traceback = exitCode === 0 ? [] : stderr.split('\n');
      const outputs = streams(stdout, stderr);
      return done({ ...answer, status, outputs, stdout, stderr, exit_code: exitCode, traceback, session_id: null });
    },
    'GET /v1/jupyter/info': async () => {
      const version = await versionOf('python');
      return done({
        default_kernel: 'python3',
        available_kernels: version === null ? [] : ['python3'],
        active_sessions: (await kernels.python.running()).length,
        session_timeout_seconds: pythonIdle,
        max_sessions: maxKernels,
        description: 'python3 of the session with persistent variables; no magics and no pictures',
        kernel_detection: version === null ? 'the session has no python3' : `Python ${version}`,
      });
    },
    'POST /v1/jupyter/sessions/create': async (request) => {
      const fields = await jsonFields(request);
      checkKernelName(fields);
      const { id } = await openKernel('python', fields);
      return done({ session_id: id, kernel_name: 'python3', message: `the session ${id} is running` });
    },
    'POST /v1/jupyter/execute': async (request) => {
      const fields = await jsonFields(request);
      const code = textField(fields, 'code');
      checkKernelName(fields);
      const { ran, kernel } = await inKernel('python', fields, code);
      return done({ kernel_name: 'python3', session_id: kernel.id, ...ran, code, msg_id: randomUUID() });
    },
    'GET /v1/jupyter/sessions': async () => {
      const listed = (await kernels.python.running()).map(({ id, createdAt, lastUsedAt }) => [
        id,
        {
          kernel_name: 'python3',
          last_used: lastUsedAt / 1_000,
          age_seconds: Math.round((Date.now() - createdAt) / 1_000),
        },
      ]);
      return done({ sessions: Object.fromEntries(listed) as object });
    },
    'DELETE /v1/jupyter/sessions': async () => {
      for (const kernel of await kernels.python.running()) await kernels.python.end(kernel);
      return done(null);
    },
    'DELETE /v1/jupyter/sessions/:id': async (_, { id = '' }) => {
      await kernels.python.end(await kernels.python.find(id));
      return done(null);
    },
    'GET /v1/nodejs/info': async () => {
      const version = (await versionOf('javascript')) ?? missing('node', 'install Node.js in the session');
      const npm = await paths.shell.run('npm --version && npm ls -g --json 2>/dev/null');
      const [npmVersion = '', ...listed] = npm.stdout.split('\n');
      const packages = packagesIn(listed.join('\n'));
      return done({
        node_version: `v${version}`,
        npm_version: npmVersion,
        supported_languages: ['javascript'],
        description: 'node of the session',
        global_packages: packages,
        runtime_packages: [],
        available_versions: [`node${version.split('.')[0]}`],
        current_version: `node${version.split('.')[0]}`,
      });
    },
    'POST /v1/nodejs/execute': async (request) => {
      const fields = await jsonFields(request);
      const code = textField(fields, 'code');
      await checkNodeVersion(fields);
      if (fields.stateful === true || optionalText(fields, 'session_id') !== undefined) {
        const { ran, kernel } = await inKernel('javascript', fields, code);
        const { stdout, stderr } = textsOf(ran.outputs);
        const exit_code = ran.status === 'ok' ? 0 : 1;
        return done({ language: 'javascript', ...ran, code, stdout, stderr, exit_code, session_id: kernel.id });
      }
      const { stdout, stderr, exitCode } = await once('javascript', fields, code);
      const status = exitCode === 0 ? 'ok' : 'error';
      const outputs = streams(stdout, stderr);
      return done({
        language: 'javascript',
        status,
        outputs,
        code,
        stdout,
        stderr,
        exit_code: exitCode,
        session_id: null,
      });
    },
    'GET /v1/nodejs/sessions': async () => {
      const listed = (await kernels.javascript.running()).map((kernel) => [kernel.id, nodeInfo(kernel)]);
      return done({ sessions: Object.fromEntries(listed) as object });
    },
    'POST /v1/nodejs/sessions': async (request) => {
      const fields = await jsonFields(request);
      const known = (await kernels.javascript.running()).some(({ id }) => id === fields.session_id);
      const kernel = await openKernel('javascript', fields);
      return done({ session_id: kernel.id, created: !known, session: nodeInfo(kernel) });
    },
    'GET /v1/nodejs/sessions/:id': async (_, { id = '' }) =>
      done({ session: nodeInfo(await kernels.javascript.find(id)) }),
    'PATCH /v1/nodejs/sessions/:id': async (request, { id = '' }) => {
      const fields = await jsonFields(request);
      const kernel = await kernels.javascript.find(id);
      kernel.idleSeconds = numberField(fields, 'max_idle_time') ?? kernel.idleSeconds;
      const cwd = optionalText(fields, 'cwd');
      if (cwd !== undefined) [kernel.cwd, kernel.nextCwd] = [cwd, cwd];
      return done({ updated: true, session: nodeInfo(kernel) });
    },
    'DELETE /v1/nodejs/sessions/:id': async (_, { id = '' }) => {
      await kernels.javascript.end(await kernels.javascript.find(id));
      return done({ deleted: true });
    },
  };

  function openKernel(language: KernelLanguage, fields: Fields): Promise<Kernel> {
    const cwd = optionalText(fields, 'cwd');
    const idleSeconds = numberField(fields, 'max_idle_time') ?? (language === 'python' ? pythonIdle : nodeIdle);
    const id = optionalText(fields, 'session_id') || undefined;
    return kernels[language].open(id, { idleSeconds, ...(cwd !== undefined && { cwd }) });
  }

  async function inKernel(
    language: KernelLanguage,
    fields: Fields,
    code: string,
  ): Promise<{ ran: Ran; kernel: Kernel }> {
    const kernel = await openKernel(language, fields);
    const cwd = optionalText(fields, 'cwd');
    if (cwd !== undefined) [kernel.cwd, kernel.nextCwd] = [cwd, cwd];
    return { kernel, ran: await kernels[language].run(kernel, code, secondsOf(fields)) };
  }

  async function once(language: KernelLanguage, fields: Fields, code: string): Promise<Executed> {
    const [program, main] = programs[language];
    if ((await versionOf(language)) === null) missing(program, `install ${program} in the session`);
    const folder = (await paths.program('mktemp -d')).trim();
    try {
      const files = { ...optionalRecord(fields, 'files'), [main]: code };
      for (const [name, text] of Object.entries(files)) {
        if (name.startsWith('/') || name.split('/').includes('..')) refuse('files', 'use file names below the folder');
        await paths.write(`${folder}/${name}`, text);
      }
      const seconds = secondsOf(fields);
      const ran = await paths.shell.run(quotedWords([program, `${folder}/${main}`]), {
        cwd: optionalText(fields, 'cwd') ?? folder,
        stdin: optionalText(fields, 'stdin') ?? '',
        timeoutMs: seconds * 1_000,
        maxOutput,
      });
      const late = ran.timedOut ? `ended after ${seconds} s\n` : '';
      return { stdout: ran.stdout, stderr: ran.stderr + late, exitCode: ran.timedOut ? 124 : (ran.exitCode ?? 1) };
    } finally {
      await paths.shell.run(`rm -rf ${quotedWords([folder])}`);
    }
  }

  async function versionOf(language: KernelLanguage): Promise<string | null> {
    const { exitCode, stdout } = await paths.shell.run(`${programs[language][0]} --version`);
    return exitCode === 0 ? stdout.trim().replace(/^(Python |v)/, '') : null;
  }

  async function checkNodeVersion(fields: Fields): Promise<void> {
    const requested = optionalText(fields, 'version')?.replace(/^node/, '');
    const version = await versionOf('javascript');
    if (requested === undefined || requested === version?.split('.')[0]) return;
    missing(`Node.js ${requested}`, `it has ${version ?? 'none'}; omit version`);
  }
}

function languageOf({ language }: Fields): KernelLanguage {
  return language === 'python' || language === 'javascript' ? language : refuse('language', 'use python or javascript');
}

function secondsOf(fields: Fields): number {
  const seconds = numberField(fields, 'timeout') ?? defaultSeconds;
  return seconds > 0 && seconds <= maxSeconds ? seconds : refuse('timeout', `use at most ${maxSeconds} s`);
}

function checkKernelName(fields: Fields): void {
  const name = optionalText(fields, 'kernel_name');
  if (name !== undefined && name !== 'python3') missing(`kernel ${name}`, 'its kernel is python3');
}

const streams = (stdout: string, stderr: string): Output[] =>
  Object.entries({ stdout, stderr }).flatMap(([name, text]) => (text ? [{ output_type: 'stream', name, text }] : []));

function textsOf(outputs: readonly Output[]) {
  const text = (wanted: string) => outputs.flatMap(({ name, text = '' }) => (name === wanted ? [text] : [])).join('');
  const traceback = outputs.flatMap(({ traceback: lines }) => (Array.isArray(lines) ? (lines as string[]) : []));
  return { stdout: text('stdout'), stderr: text('stderr'), traceback };
}

function packagesIn(listed: string): { readonly name: string; readonly version: string }[] {
  try {
    const { dependencies = {} } = JSON.parse(listed) as { dependencies?: Record<string, { version?: string }> };
    return Object.entries(dependencies).map(([name, { version = '' }]) => ({ name, version }));
  } catch {
    return [];
  }
}

function nodeInfo({ id, cwd, createdAt, lastUsedAt, idleSeconds }: Kernel): object {
  return {
    session_id: id,
    cwd,
    created_at: createdAt / 1_000,
    last_used: lastUsedAt / 1_000,
    max_idle_time: idleSeconds,
    age_seconds: Math.round((Date.now() - createdAt) / 1_000),
    state: 'idle',
  };
}
