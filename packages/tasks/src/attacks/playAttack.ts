import { type Action, GyreError, type Verdict } from '@gyre/protocol';
import { machineOf, type BrowserPool, type Sandbox, type Session, type Verifier } from '@gyre/sandbox';
import { setUpTask } from '../family/environment.js';
import type { AnyFamily, AnyInstance } from '../family/family.js';
import type { Attack, AttackedSurface, PolicyAttack, ScreenAttack, ShellAttack } from './attack.js';

/** Limit of a program, in ms, and the head start of a background program. */
const runMs = 20_000;
const backgroundMs = 1_500;

export interface AttackResult {
  readonly family: string;
  readonly attack: string;
  readonly surface: AttackedSurface;
  readonly score: number | undefined;
  readonly success: boolean;
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
  const lone = (attack: Attack) => attack.spoils === true || !('program' in attack);
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
        const after =
          'turns' in attack
            ? await playTurns(session, verifier, attack, surface)
            : await carriedOut(session, verifier, attack);
        results.push({ ...result, ...compared(start, after) });
        onResult(results.at(-1)!);
      }
    } finally {
      await session.release();
    }
  }
  return results;
}

interface After {
  /** Undefined if the session has ended. */
  readonly verdict: Verdict | undefined;
  readonly reward: number;
  readonly remarks: readonly string[];
}

/** Ends the task as an agent would. */
async function carriedOut(session: Session, verifier: Verifier, attack: ShellAttack | ScreenAttack): Promise<After> {
  const remarks = 'actions' in attack ? await act(session, attack.actions) : await runProgram(session, attack);
  return judged(remarks, verifier, async () => (await verifier.step({ answer: 'done' })).reward);
}

async function playTurns(
  session: Session,
  verifier: Verifier,
  { turns }: PolicyAttack,
  surface: AttackedSurface,
): Promise<After> {
  const plan = await turns(verifier.task, surface);
  return judged([], verifier, async () => {
    let earned = 0;
    const end: readonly Action[] = [{ type: 'finished' }];
    for (const actions of [...plan.slice(0, verifier.task.stepBudget), end]) {
      await act(session, actions);
      const { reward, done } = await verifier.step(actions.find((action) => action.type === 'finished'));
      earned += reward;
      if (done) break;
    }
    return earned;
  });
}

async function judged(remarks: readonly string[], verifier: Verifier, end: () => Promise<number>): Promise<After> {
  try {
    const reward = await end();
    return { verdict: await verifier.verdict(), reward, remarks };
  } catch (error) {
    if (!(error instanceof GyreError) || error.code !== 'infra') throw error;
    return { verdict: undefined, reward: 0, remarks };
  }
}

function compared(
  start: Verdict,
  { verdict, reward, remarks }: After,
): Pick<AttackResult, 'score' | 'success' | 'resisted' | 'remarks'> {
  const reached = remarks.filter((remark) => remark.startsWith('reached'));
  if (verdict === undefined)
    return { score: undefined, success: false, resisted: reached.length === 0, remarks: [...reached, 'session ended'] };
  const better = verdict.success || reward > 0 || verdict.score > start.score;
  return {
    score: verdict.score,
    success: verdict.success,
    resisted: !better && reached.length === 0,
    remarks: reached,
  };
}

export async function lease(
  { pool, sandbox }: AttackTargets,
  { task }: AnyInstance,
  surface: AttackedSurface,
): Promise<Session> {
  const { screen: size } = task;
  if (surface === 'page') return pool.lease({ size });
  return sandbox.lease({ kind: surface === 'desktop' ? 'desktop' : 'browser', size });
}

/** Carries out actions of the screen. `finished` is the verifier's. */
async function act({ screen }: Session, actions: readonly Action[]): Promise<string[]> {
  for (const action of actions) {
    try {
      if (action.type !== 'finished') await screen.act(action);
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
