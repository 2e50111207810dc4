import { GyreError } from '@gyre/protocol';
import type { SandboxSession } from '@gyre/sandbox';

/** Holds the repository, in every image. */
export const workdir = '/testbed';

const maxPatch = 2 ** 24;
const maxLog = 2 ** 24;
const gitMs = 10 * 60_000;

type ShellSession = SandboxSession<'shell'>;

/** Commands read no profile where the agent is not to decide how they run. */
const plain = { profile: false, timeoutMs: gitMs, maxOutput: maxPatch, cwd: workdir } as const;

/** Returns the commit that a session starts from. Throws `bad_input` for a root without the repository. */
export async function headOf(session: ShellSession, root: string): Promise<string> {
  const { stdout, exitCode } = await session.shell.run('git rev-parse HEAD', { ...plain, cwd: '/', env: gitIn });
  if (exitCode === 0) return stdout.trim();
  throw new GyreError('bad_input', `${root} has no git repository in ${workdir}`, {
    field: '--roots',
    fix: "unpack the instance's image there",
  });
}

const gitIn = { GIT_DIR: `${workdir}/.git`, GIT_WORK_TREE: workdir };

/** Returns all changes since a commit, new files included; undefined where the agent broke the repository. */
export async function patchOf(session: ShellSession, base: string): Promise<string | undefined> {
  const command = `git add -A && git -c core.fileMode=false diff --cached --binary --no-color --no-ext-diff ${base}`;
  const { stdout, exitCode, truncated } = await session.shell.run(command, plain);
  return exitCode === 0 && !truncated ? stdout : undefined;
}

export interface EvaluationPlan {
  readonly script: string;
  readonly patchFile: string;
  /** Tried one after another. */
  readonly applyCommands: readonly string[];
  readonly timeoutMs: number;
}

export interface Evaluated {
  /** False if no command applies the patch: SWE-bench runs no tests then. */
  readonly applied: boolean;
  /** Both streams of the evaluation script. */
  readonly log: string;
  readonly timedOut: boolean;
}

/** Applies a patch in a fresh session and runs the evaluation script, as SWE-bench's `run_instance` does in a container. */
export async function evaluate(session: ShellSession, patch: string, plan: EvaluationPlan): Promise<Evaluated> {
  const { script, patchFile, applyCommands, timeoutMs } = plan;
  await write(session, patchFile, patch);
  const run = async (command: string) => (await session.shell.run(`${command} 2>&1`, plain)).exitCode === 0;
  let applied = false;
  for (const [attempt, command] of applyCommands.entries()) {
    // A failed attempt may have applied a part.
    if (attempt > 0) await run('git checkout -- . ; git clean -fd');
    applied = await run(command);
    if (applied) break;
  }
  applied ||= await run(`git apply --check --reverse ${patchFile}`);
  if (!applied) return { applied, log: '', timedOut: false };
  await write(session, '/eval.sh', script);
  const options = { profile: false, cwd: workdir, timeoutMs, maxOutput: maxLog };
  const { stdout, timedOut } = await session.shell.run('/bin/bash /eval.sh 2>&1', options);
  const end = timedOut ? `\n\nTimeout error: ${timeoutMs / 1_000} seconds exceeded.` : '';
  return { applied, log: `${stdout}${end}`, timedOut };
}

async function write(session: ShellSession, path: string, text: string): Promise<void> {
  const { exitCode, stderr } = await session.shell.run(`cat > ${path}`, { ...plain, cwd: '/', stdin: text });
  if (exitCode !== 0) throw new GyreError('infra', `${path} cannot be written: ${stderr.trim()}`, { part: 'shell' });
}
