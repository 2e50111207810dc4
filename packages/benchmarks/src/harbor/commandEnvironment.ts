import {
  type AgentAction,
  carryOut,
  type Environment,
  type Frame,
  GyreError,
  isSdkCall,
  type StepResult,
  type Task,
} from '@gyre/protocol';

export interface Command {
  readonly command: string;
  /** Undefined at the beginning: the task's own. */
  readonly cwd: string | undefined;
  readonly seconds: number;
}

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** 124 if it was ended for its time. */
  readonly code: number;
}

export interface CommandEnvironmentOptions {
  readonly task: Task;
  /** Stands for the screen, which there is not. */
  readonly frame: Frame;
  /** Throws `infra`. */
  readonly run: (command: Command) => Promise<CommandResult>;
}

const defaultSeconds = 120;

/** In characters of each stream. */
const maxOutput = 10_000;

/**
 * A machine that its owner runs commands in. Each is a shell of its own, in the folder where the last one ended. There
 * is no verdict: the owner judges.
 */
export class CommandEnvironment implements Environment {
  readonly task: Task;
  readonly #options: CommandEnvironmentOptions;
  #cwd: string | undefined;

  constructor(options: CommandEnvironmentOptions) {
    this.#options = options;
    this.task = { ...options.task, surfaces: ['shell'] };
  }

  reset(): Promise<Frame> {
    return this.observe();
  }

  async step(actions: readonly AgentAction[]): Promise<StepResult> {
    const { ended, ...carried } = await carryOut(actions, (action) => this.#act(action));
    return { ...carried, observation: this.#options.frame, reward: 0, done: ended };
  }

  observe(): Promise<Frame> {
    return Promise.resolve(this.#options.frame);
  }

  verdict(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #act(action: AgentAction): Promise<string | undefined> {
    if (action.type === 'wait') return undefined;
    if (action.type !== 'execute_bash') {
      throw new GyreError('bad_input', `this machine has ${isSdkCall(action) ? `no ${action.type}` : 'no screen'}`, {
        field: 'type',
        fix: 'use execute_bash',
      });
    }
    const { command, input, seconds = defaultSeconds } = action;
    if (input === true || command.trim() === '') {
      throw new GyreError('bad_input', 'nothing runs in the shell between two calls', {
        field: 'command',
        fix: 'name a command; start servers in the background with &',
      });
    }
    const { stdout, stderr, code } = await this.#options.run({ command: tracked(command), cwd: this.#cwd, seconds });
    const { output, cwd } = split(stdout);
    this.#cwd = cwd ?? this.#cwd;
    const notes = code === 124 ? `ended after ${seconds} s, or exit code 124` : `exit code ${code}`;
    return [shortened(output), shortened(stderr), `(${notes})`].filter((part) => part !== '').join('\n');
  }
}

/** No output of programs has it by chance. */
const mark = '\u001egyre-cwd:';

/** The command, whose shell prints its last folder, also after `exit`. */
const tracked = (command: string): string => `trap 'printf "\\036gyre-cwd:%s" "$PWD"' EXIT\n${command}`;

export function split(stdout: string): { output: string; cwd?: string } {
  const index = stdout.lastIndexOf(mark);
  const cwd = index < 0 ? '' : stdout.slice(index + mark.length);
  // A command that is ended, or prints it itself, leaves the folder as it was.
  return cwd.startsWith('/') ? { output: stdout.slice(0, index), cwd } : { output: stdout };
}

function shortened(text: string): string {
  const trimmed = text.trimEnd();
  if (trimmed.length <= maxOutput) return trimmed;
  const half = maxOutput / 2;
  return `${trimmed.slice(0, half)}\n[${trimmed.length - maxOutput} characters omitted]\n${trimmed.slice(-half)}`;
}
