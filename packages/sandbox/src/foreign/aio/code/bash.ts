import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ShellConsole, ConsoleResult } from '../../../shell/console.js';
import type { Shell } from '../../../shell/shell.js';
import { shortenText } from '../../../shell/shortened.js';
import { quotedWords } from '../../../shell/shellWords.js';
import { jsonFields, numberField, textField } from '../../served/request.js';
import {
  done,
  missing,
  optionalRecord,
  optionalText,
  refuse,
  Unsuccessful,
  type Fields,
  type Routes,
} from '../route.js';

/** Above it, idle unnamed sessions are closed. */
const maxSessions = 32;
const maxBytes = 2 ** 20;
const defaultOutput = 50_000;
const longestMs = 2 ** 31 - 1;
const pollMs = 50;
const signals: ReadonlySet<string> = new Set(['SIGTERM', 'SIGKILL', 'SIGINT']);

type Status = 'running' | 'completed' | 'timed_out' | 'killed';

class Command {
  status: Status = 'running';
  exitCode: number | null = null;
  ended: Promise<void> = Promise.resolve();
  readonly id = randomUUID();

  constructor(
    readonly text: string,
    /** Path prefix of its outputs in the session. */
    readonly file: string,
  ) {}
}

class BashSession {
  readonly createdAt = new Date();
  lastUsedAt = new Date();
  cwd = '';
  /** Replaced after an exit. */
  terminal: ShellConsole | undefined;
  readonly commands: Command[] = [];

  constructor(
    readonly id: string,
    readonly named: boolean,
    readonly folder: string,
  ) {}

  get current(): Command | undefined {
    return this.commands.findLast(({ status }) => status === 'running');
  }
}

/** Serves bash sessions with separate outputs, read by byte offsets. */
export function bashRoutes(shell: Shell | undefined, screenEnv: Readonly<Record<string, string>> = {}): Routes {
  const sessions = new Map<string, BashSession>();

  return {
    'POST /v1/bash/sessions/create': async (request) => {
      const fields = await jsonFields(request);
      const session = await openSession(optionalText(fields, 'session_id') || randomUUID(), true);
      const snapshot = optionalText(fields, 'snapshot_path');
      if (snapshot !== undefined) await quietly(session, `. ${quotedWords([snapshot])}`);
      await enter(session, optionalText(fields, 'exec_dir'));
      return done(infoOf(session));
    },
    'POST /v1/bash/exec': async (request) => {
      const fields = await jsonFields(request);
      const text = textField(fields, 'command');
      const sessionId = optionalText(fields, 'session_id');
      const session = await openSession(sessionId || randomUUID(), Boolean(sessionId));
      await enter(session, optionalText(fields, 'exec_dir'));
      const hard = numberField(fields, 'hard_timeout');
      const command = await start(session, text, { env: optionalRecord(fields, 'env') ?? {}, hard });
      const timeout = fields.async_mode === true ? 0 : numberField(fields, 'timeout');
      await Promise.race([command.ended, ...(timeout === undefined ? [] : [pause(timeout * 1_000)])]);
      const maxLength = numberField(fields, 'max_output_length') ?? defaultOutput;
      const [out, err] = await outputs(command, 0, 0);
      const cap = maxLength === 0 ? Infinity : maxLength;
      return done({
        session_id: session.id,
        ...commandInfo(command),
        stdout: shortenText({ head: out.text, cap }).text,
        stderr: shortenText({ head: err.text, cap }).text,
        offset: out.end,
        stderr_offset: err.end,
      });
    },
    'POST /v1/bash/output': async (request) => {
      const fields = await jsonFields(request);
      const session = sessionOf(textField(fields, 'session_id'));
      const command = commandOf(session, fields);
      if (command === undefined) {
        return done({ session_id: session.id, stdout: '', stderr: '', offset: 0, stderr_offset: 0, command: null });
      }
      const [from, errFrom] = [numberField(fields, 'offset') ?? 0, numberField(fields, 'stderr_offset') ?? 0];
      const waited = fields.wait === true ? (numberField(fields, 'wait_timeout') ?? 30) * 1_000 : 0;
      for (const begin = performance.now(); ; await Promise.race([command.ended, pause(pollMs)])) {
        // Read before the output, which then includes the last words.
        const { status } = command;
        const [out, err] = await outputs(command, from, errFrom);
        const isNew = out.text !== '' || err.text !== '' || status !== 'running';
        if (!isNew && performance.now() - begin < waited) continue;
        const parts = { stdout: out.text, stderr: err.text, offset: out.end, stderr_offset: err.end };
        return done({ session_id: session.id, ...parts, command: { ...commandInfo(command), status } });
      }
    },
    'POST /v1/bash/write': async (request) => {
      const fields = await jsonFields(request);
      const session = sessionOf(textField(fields, 'session_id'));
      const input = optionalText(fields, 'input') ?? refuse('input', 'use a string');
      if (commandOf(session, fields)?.status !== 'running')
        throw new Unsuccessful(`no command is running in ${session.id}`);
      (await consoleOf(session)).terminal.write(input);
      return done(null);
    },
    'POST /v1/bash/kill': async (request) => {
      const fields = await jsonFields(request);
      const session = sessionOf(textField(fields, 'session_id'));
      const signal = optionalText(fields, 'signal') ?? 'SIGTERM';
      if (!signals.has(signal)) refuse('signal', `use one of ${[...signals].join(', ')}`);
      const command = session.current;
      if (command === undefined) throw new Unsuccessful(`no command is running in ${session.id}`);
      await end(session, command, 'killed', signal);
      return done(null);
    },
    'GET /v1/bash/sessions': () => done([...sessions.values()].map(infoOf)),
    'POST /v1/bash/sessions/:id/close': async (_, { id = '' }) => {
      await close(sessionOf(id));
      return done(null);
    },
  };

  function sessionOf(id: string): BashSession {
    const session = sessions.get(id);
    if (session === undefined) throw new Unsuccessful(`there is no bash session ${JSON.stringify(id)}`);
    session.lastUsedAt = new Date();
    return session;
  }

  function commandOf(session: BashSession, fields: Fields): Command | undefined {
    const id = optionalText(fields, 'command_id');
    if (id === undefined) return session.commands.at(-1);
    return (
      session.commands.find((command) => command.id === id) ?? refuse('command_id', 'use a command of this session')
    );
  }

  async function openSession(id: string, named: boolean): Promise<BashSession> {
    if (sessions.has(id)) return sessionOf(id);
    const idle = [...sessions.values()].filter((session) => !session.named && session.current === undefined);
    for (const session of idle.slice(0, Math.max(0, sessions.size + 1 - maxSessions))) await close(session);
    const { stdout } = await (shell ?? missing('shell')).run('mktemp -d');
    const session = new BashSession(id, named, stdout.trim());
    sessions.set(id, session);
    await consoleOf(session);
    return session;
  }

  async function consoleOf(session: BashSession): Promise<ShellConsole> {
    const terminal = await (shell ?? missing('shell')).console(`bash-${session.id}`, { env: screenEnv });
    if (terminal !== session.terminal) {
      session.terminal = terminal;
      session.cwd = (await terminal.execute(`echo $$ > ${session.folder}/pid`)).cwd;
    }
    return terminal;
  }

  async function quietly(session: BashSession, line: string): Promise<ConsoleResult> {
    const ran = await (await consoleOf(session)).execute(line);
    session.cwd = ran.cwd;
    return ran;
  }

  async function enter(session: BashSession, folder: string | undefined): Promise<void> {
    if (folder === undefined || folder === session.cwd) return;
    const { exitCode, output } = await quietly(session, `cd -- ${quotedWords([folder])}`);
    if (exitCode !== 0) throw new Unsuccessful(output.trim());
  }

  async function start(
    session: BashSession,
    text: string,
    { env, hard }: { env: Readonly<Record<string, string>>; hard: number | undefined },
  ): Promise<Command> {
    const { folder } = session;
    if (session.current !== undefined) {
      throw new Unsuccessful(
        `a command is still running in ${session.id}: wait for it, kill it, or use another session`,
      );
    }
    const command = new Command(text, `${folder}/${session.commands.length}`);
    const { file } = command;
    await (shell ?? missing('shell')).run(`cat > ${file}.sh`, { stdin: `${text}\n` });
    const names = Object.entries(env).map(([name, value]) => {
      if (!/^[A-Za-z_]\w*$/.test(name)) refuse('env', 'use letters, digits and _ in names');
      return `${name}=${quotedWords([value])} `;
    });
    const terminal = await consoleOf(session);
    session.commands.push(command);
    const running = terminal.execute(`${names.join('')}. ${file}.sh >${file}.out 2>${file}.err`, {
      timeoutMs: longestMs,
    });
    command.ended = running.then(
      ({ cwd, exitCode }) => ended(session, command, { cwd, exitCode }),
      () => ended(session, command, {}),
    );
    if (hard !== undefined) {
      const timer = setTimeout(() => void end(session, command, 'timed_out', 'SIGKILL'), hard * 1_000);
      void command.ended.then(() => clearTimeout(timer));
    }
    return command;
  }

  function ended(
    session: BashSession,
    command: Command,
    { cwd, exitCode }: { cwd?: string; exitCode?: number | undefined },
  ) {
    if (cwd !== undefined) session.cwd = cwd;
    if (command.status !== 'running') return;
    command.status = exitCode === undefined ? 'killed' : 'completed';
    command.exitCode = exitCode ?? null;
  }

  /** Signals the foreground program, or interrupts bash. */
  async function end(session: BashSession, command: Command, status: Status, signal: string): Promise<void> {
    const terminal = await consoleOf(session);
    if (signal !== 'SIGINT') {
      // The terminal's foreground group, or bash's own.
      const group = `p=$(cat ${session.folder}/pid) && g=$(cut -d' ' -f8 /proc/$p/stat)`;
      await shell!.run(`${group} && [ "$g" != "$p" ] && kill -${signal.slice(3)} -- "-$g"`);
    }
    await Promise.race([command.ended, pause(signal === 'SIGINT' ? 0 : 200)]);
    const isRunning = (): boolean => command.status === 'running';
    if (!isRunning()) {
      command.status = status;
      command.exitCode = null;
      return;
    }
    await terminal.interrupt({ timeoutMs: 2_000 });
    if (terminal.running && signal === 'SIGKILL') await terminal.close();
    if (!terminal.running) await command.ended;
    if (!isRunning()) [command.status, command.exitCode] = [status, null];
  }

  async function close(session: BashSession): Promise<void> {
    sessions.delete(session.id);
    await (await consoleOf(session)).close();
    await shell!.run(`rm -rf ${session.folder}`);
  }

  async function outputs(command: Command, from: number, errFrom: number): Promise<[Part, Part]> {
    const { file } = command;
    const part = (name: string, offset: number) =>
      `tail -c +${Math.max(0, Math.floor(offset)) + 1} ${file}.${name} 2>/dev/null | head -c ${maxBytes} | base64 -w0; echo`;
    const { stdout } = await shell!.run(`${part('out', from)}; ${part('err', errFrom)}`, { maxOutput: 4 * maxBytes });
    const [out = '', err = ''] = stdout.split('\n');
    return [partOf(out, from), partOf(err, errFrom)];
  }
}

interface Part {
  readonly text: string;
  readonly end: number;
}

/** Stops at the last complete character. */
function partOf(encoded: string, from: number): Part {
  const bytes = Buffer.from(encoded, 'base64');
  const start = bytes.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const whole = start >= 0 && start + length > bytes.length ? start : bytes.length;
  return { text: bytes.toString('utf8', 0, whole), end: from + whole };
}

function commandInfo({ id, text, status, exitCode }: Command): object {
  return { command_id: id, command: text, status, exit_code: exitCode };
}

function infoOf(session: BashSession): object {
  return {
    session_id: session.id,
    status: 'ready',
    working_dir: session.cwd,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    current_command: session.current?.text ?? null,
    command_count: session.commands.length,
  };
}
