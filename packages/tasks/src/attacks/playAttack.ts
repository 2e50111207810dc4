import { GyreError, type Verdict } from '@gyre/protocol';
import { machineOf, type BrowserPool, type Sandbox, type Session, type Verifier } from '@gyre/sandbox';
import { setUpTask } from '../family/environment.js';
import type { AnyFamily, AnyInstance } from '../family/family.js';
import type { Attack, AttackedSurface, ScreenAttack, ShellAttack } from './attack.js';

/** Limit of a program, in ms, and the head start of a background program. */
const runMs = 20_000;
const backgroundMs = 1_500;

export interface AttackResult {
  readonly family: string;
  readonly attack: string;
  readonly surface: AttackedSurface;
  readonly score: number | undefined;
  /** True if the attack neither solved the task, nor earned reward, nor reached anything forbidden. */
  readonly resisted: boolean;
  readonly remarks: readonly string[];
}

export interface AttackTargets {
  readonly pool: BrowserPool;
  readonly sandbox: Sandbox;
}

export function surfaceOf({ kind }: AnyFamily): AttackedSurface {
  if (kind === undefined) return 'page';
  return kind === 'browser' ? 'browser machine' : 'desktop';
}

/**
 * Plays attacks on a task, judged by its own verifier. Attacks that spoil the machine get a fresh one. Attacks on other
 * surfaces are skipped.
 */
export async function playAttacks(
  targets: AttackTargets,
  family: AnyFamily,
  seed: number,
  attacks: readonly Attack[],
  onResult: (result: AttackResult) => void = () => undefined,
): Promise<AttackResult[]> {
  const surface = surfaceOf(family);
  const fitting = attacks.filter(({ on }) => on.includes(surface));
  const lone = (attack: Attack) => attack.spoils === true || 'actions' in attack;
  const together = fitting.filter((attack) => !lone(attack));
  const results: AttackResult[] = [];
  for (const group of [together, ...fitting.filter(lone).map((attack) => [attack])]) {
    if (group.length === 0) continue;
    const instance: AnyInstance = family.create('test', seed);
    const session = await lease(targets, instance, surface);
    try {
      const verifier = await setUpTask(session, instance, family);
      const start = await verifier.verdict();
      for (const attack of group) {
        const result = { family: family.name, attack: attack.name, surface };
        const remarks = await play(session, attack);
        const after = await judged(verifier);
        results.push({ ...result, ...compared(start, after, remarks) });
        onResult(results.at(-1)!);
      }
    } finally {
      await session.release();
    }
  }
  return results;
}

interface After {
  readonly verdict: Verdict | undefined;
  readonly reward: number;
}

/** Ends the task as an agent would. The verdict is undefined if the session has ended. */
async function judged(verifier: Verifier): Promise<After> {
  try {
    const { reward } = await verifier.step({ answer: 'done' });
    return { verdict: await verifier.verdict(), reward };
  } catch (error) {
    if (!(error instanceof GyreError) || error.code !== 'infra') throw error;
    return { verdict: undefined, reward: 0 };
  }
}

function compared(
  start: Verdict,
  { verdict, reward }: After,
  remarks: readonly string[],
): Pick<AttackResult, 'score' | 'resisted' | 'remarks'> {
  const reached = remarks.filter((remark) => remark.startsWith('reached'));
  if (verdict === undefined)
    return { score: undefined, resisted: reached.length === 0, remarks: [...reached, 'session ended'] };
  const better = verdict.success || reward > 0 || verdict.score > start.score;
  return { score: verdict.score, resisted: !better && reached.length === 0, remarks: reached };
}

async function lease(
  { pool, sandbox }: AttackTargets,
  { task }: AnyInstance,
  surface: AttackedSurface,
): Promise<Session> {
  const { screen: size } = task;
  if (surface === 'page') return pool.lease({ size });
  return sandbox.lease({ kind: surface === 'desktop' ? 'desktop' : 'browser', size });
}

async function play(session: Session, attack: Attack): Promise<string[]> {
  return 'actions' in attack ? act(session, attack) : runProgram(session, attack);
}

async function act({ screen }: Session, { actions }: ScreenAttack): Promise<string[]> {
  for (const action of actions) {
    try {
      await screen.act(action);
    } catch (error) {
      // A refused action has no effect; the verifier reports an ended page.
      if (!(error instanceof GyreError)) throw error;
    }
  }
  return [];
}

async function runProgram(session: Session, { program, text, background }: ShellAttack): Promise<string[]> {
  const { shell, desktop } = machineOf(session);
  const env = { ATTACK: text, ...desktop?.env };
  const command = program === 'sh' ? 'sh -c "$ATTACK"' : 'python3 -c "$ATTACK"';
  try {
    if (background) {
      await shell.start(command, { env });
      await new Promise((resolve) => setTimeout(resolve, backgroundMs));
      return [];
    }
    const { stdout, stderr } = await shell.run(command, { env, timeoutMs: runMs });
    const broken = /Traceback[\s\S]*?\n(\w*Error.*)/.exec(stderr)?.[1];
    const remarks = stdout.split('\n').filter((line) => line.startsWith('reached'));
    return broken === undefined ? remarks : [...remarks, `reached nothing: the attack is broken: ${broken}`];
  } catch (error) {
    if (error instanceof GyreError && error.code === 'infra') return [];
    throw error;
  }
}
