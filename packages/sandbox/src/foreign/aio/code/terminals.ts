import { randomUUID } from 'node:crypto';
import type { ShellConsole, ConsoleResult } from '../../../shell/console.js';
import type { Shell } from '../../../shell/shell.js';
import { quotedWords } from '../../../shell/shellWords.js';
import { jsonFields, numberField, textField, type CompatAnswer } from '../../served/request.js';
import { done, missing, optionalText, refuse, Unsuccessful, type Fields, type Routes } from '../route.js';

const maxSessions = 64;
const maxRecords = 100;
const maxOutput = 30_000;
const defaultNoChange = 120;
const longestMs = 2 ** 31 - 1;
/** Timers may fire this much too early. */
const timerSlackMs = 20;
const defaultWait = 60;

type Status = 'running' | 'completed' | 'no_change_timeout' | 'hard_timeout' | 'terminated';

interface Entry {
  readonly command: string;
  output: string;
}

class TerminalSession {
  readonly createdAt = new Date();
  lastUsedAt = new Date();
  cwd = '';
  status: Status = 'completed';
  exitCode: number | null = null;
  readonly entries: Entry[] = [];

  constructor(
    readonly id: string,
    public noChange: number,
  ) {}
}

/** Serves terminals that keep directory, environment and programs between calls. */
export function terminalRoutes(shell: Shell | undefined, screenEnv: Readonly<Record<string, string>> = {}): Routes {
  const sessions = new Map<string, TerminalSession>();

  return {
    'POST /v1/shell/sessions/create': async (request) => {
      const fields = await jsonFields(request);
      const session = await openSession(fields);
      await enter(session, fields, true);
      return done({ session_id: session.id, working_dir: session.cwd });
    },
    'POST /v1/shell/sessions/update': async (request) => {
      const fields = await jsonFields(request);
      const session = sessionOf(fields);
      session.noChange = numberField(fields, 'no_change_timeout') ?? session.noChange;
      return done(null);
    },
    'GET /v1/shell/sessions': () => {
      const now = Date.now();
      const listed = [...sessions.values()].map((session) => [
        session.id,
        {
          working_dir: session.cwd,
          created_at: session.createdAt.toISOString(),
          last_used_at: session.lastUsedAt.toISOString(),
          age_seconds: Math.round((now - session.createdAt.getTime()) / 1_000),
          status: session.status === 'running' ? 'running' : 'idle',
          current_command: session.status === 'running' ? session.entries.at(-1)?.command : null,
        },
      ]);
      return done({ sessions: Object.fromEntries(listed) as object });
    },
    'GET /v1/shell/sessions/stats': () => {
      const active = [...sessions.values()].filter(({ status }) => status === 'running').length;
      return done({
        total_sessions: sessions.size,
        active_sessions: active,
        idle_sessions: sessions.size - active,
        max_sessions: maxSessions,
        session_timeout: 0,
        usage_ratio: sessions.size / maxSessions,
      });
    },
    'DELETE /v1/shell/sessions': async () => {
      await Promise.all([...sessions.values()].map(close));
      return done(null);
    },
    'DELETE /v1/shell/sessions/:id': async (_, { id = '' }) => {
      await close(sessionOf({ id }));
      return done(null);
    },
    'GET /v1/shell/terminal-url': () =>
      missing('page with a terminal', 'use /v1/shell/exec, view and write, which drive the same terminal'),
    'POST /v1/shell/exec': async (request) => {
      const fields = await jsonFields(request);
      const command = textField(fields, 'command');
      const session = await openSession(fields);
      const terminal = await consoleOf(session);
      if (terminal.running) {
        throw new Unsuccessful(
          `a command is still running in ${session.id}: wait for it, write to it, kill it, or use another id`,
        );
      }
      await enter(session, fields, fields.strict === true);
      const [hard, soft] = [numberField(fields, 'hard_timeout'), numberField(fields, 'timeout')];
      const noChange = numberField(fields, 'no_change_timeout') ?? session.noChange;
      const timeoutMs = fields.async_mode === true ? 0 : Math.min(soft ?? Infinity, hard ?? Infinity) * 1_000;
      const entry = { command, output: '' };
      session.entries.push(entry);
      session.entries.splice(0, session.entries.length - maxRecords);
      const begin = performance.now();
      const ran = await terminal.execute(command, {
        timeoutMs: Math.min(timeoutMs, longestMs),
        quietMs: noChange * 1_000,
        ...(fields.truncate !== false && { maxOutput }),
      });
      const remainingMs = (seconds: number) => seconds * 1_000 - (performance.now() - begin);
      const isLate = timeoutMs !== Infinity && remainingMs(timeoutMs / 1_000) < timerSlackMs;
      take(session, ran, isLate ? 'running' : 'no_change_timeout');
      if (ran.running && hard !== undefined) {
        const expire = async () => {
          if (terminal.running && session.entries.at(-1) === entry) await end(session, terminal, 'hard_timeout');
        };
        if (remainingMs(hard) < timerSlackMs) await expire();
        else setTimeout(() => void expire(), remainingMs(hard)).unref();
      }
      return view(session);
    },
    'POST /v1/shell/view': async (request) => {
      const session = sessionOf(await jsonFields(request));
      await look(session, 0);
      return view(session);
    },
    'POST /v1/shell/wait': async (request) => {
      const fields = await jsonFields(request);
      const session = sessionOf(fields);
      const seconds = numberField(fields, 'seconds') ?? numberField(fields, 'max_wait_seconds') ?? defaultWait;
      await look(session, seconds * 1_000);
      return done({ status: session.status });
    },
    'POST /v1/shell/write': async (request) => {
      const fields = await jsonFields(request);
      const session = sessionOf(fields);
      const input = optionalText(fields, 'input') ?? refuse('input', 'use a string');
      const terminal = await consoleOf(session);
      if (!terminal.running) throw new Unsuccessful(`no command is running in ${session.id}: execute a command first`);
      terminal.terminal.write(fields.press_enter === false ? input : `${input}\n`);
      await look(session, 100);
      return done({ status: session.status });
    },
    'POST /v1/shell/kill': async (request) => {
      const session = sessionOf(await jsonFields(request));
      const terminal = await consoleOf(session);
      if (!terminal.running) throw new Unsuccessful(`no command is running in ${session.id}`);
      await end(session, terminal, 'terminated');
      return done({ status: session.status, exit_code: session.exitCode, returncode: session.exitCode });
    },
  };

  function sessionOf(fields: Fields): TerminalSession {
    const id = textField(fields, 'id');
    const session = sessions.get(id);
    if (session === undefined) throw new Unsuccessful(`there is no shell session ${JSON.stringify(id)}`);
    session.lastUsedAt = new Date();
    return session;
  }

  async function openSession(fields: Fields): Promise<TerminalSession> {
    const id = optionalText(fields, 'id') || randomUUID();
    if (sessions.has(id)) return sessionOf({ id });
    if (sessions.size >= maxSessions) throw new Unsuccessful(`${maxSessions} shell sessions are open: clean some up`);
    const session = new TerminalSession(id, numberField(fields, 'no_change_timeout') ?? defaultNoChange);
    sessions.set(id, session);
    session.cwd = (await (await consoleOf(session)).execute(':')).cwd;
    return session;
  }

  function consoleOf({ id }: TerminalSession): Promise<ShellConsole> {
    return (shell ?? missing('shell')).console(`shell-${id}`, { env: screenEnv });
  }

  /** Stays if the folder is missing, or fails if `strict`. */
  async function enter(session: TerminalSession, fields: Fields, strict: boolean): Promise<void> {
    const folder = optionalText(fields, 'exec_dir');
    if (folder === undefined) return;
    const physical = fields.preserve_symlinks === true ? '' : '-P ';
    const { exitCode, output, cwd } = await (
      await consoleOf(session)
    ).execute(`cd ${physical}-- ${quotedWords([folder])}`);
    session.cwd = cwd;
    if (exitCode !== 0 && strict) throw new Unsuccessful(output.trim());
  }

  function take(session: TerminalSession, ran: ConsoleResult, running: Status): void {
    const entry = session.entries.at(-1);
    if (entry) entry.output = ran.output;
    session.cwd = ran.cwd;
    session.status = ran.running ? running : 'completed';
    session.exitCode = ran.exitCode ?? null;
  }

  /** Waits for the last command and records its outcome. */
  async function look(session: TerminalSession, timeoutMs: number): Promise<void> {
    const terminal = await consoleOf(session);
    const isOver =
      session.status === 'completed' || session.status === 'hard_timeout' || session.status === 'terminated';
    if (session.entries.length === 0 || isOver) return;
    take(session, await terminal.wait({ timeoutMs }), 'running');
  }

  /** Interrupts; if that fails, ends the bash, and the next command gets a new one. */
  async function end(session: TerminalSession, terminal: ShellConsole, status: Status): Promise<void> {
    const ran = await terminal.interrupt({ timeoutMs: 1_000 });
    take(session, ran, 'running');
    if (ran.running) await terminal.close();
    session.status = status;
  }

  async function close(session: TerminalSession): Promise<void> {
    sessions.delete(session.id);
    await (await consoleOf(session)).close();
  }

  function view(session: TerminalSession): CompatAnswer {
    const { id, status, exitCode, entries } = session;
    const { command = '', output = '' } = entries.at(-1) ?? {};
    const console = entries.map((entry) => ({ ps1: '$', ...entry }));
    return done({ session_id: id, command, status, output, exit_code: exitCode, console });
  }
}
