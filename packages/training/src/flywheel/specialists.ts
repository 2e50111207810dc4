import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mergePolicies, saveCheckpoint } from '@gyre/engine';
import type { RlResult } from '../algorithms/iteration.js';
import type { Workspace } from './workspace.js';

export function verticalsOf(families: readonly string[], specialists: readonly (readonly string[])[]): string[][] {
  const named = new Set(specialists.flat());
  const remaining = families.filter((family) => !named.has(family));
  return [...specialists.map((vertical) => [...vertical]), remaining].filter(({ length }) => length > 0);
}

/**
 * Trains one copy of the policy per vertical and loads the mean of their weights (UI-TARS-2, arXiv 2509.02544, section
 * 2.6).
 */
export async function trainSpecialists(
  workspace: Pick<Workspace, 'engine' | 'path'> & Partial<Pick<Workspace, 'lock'>>,
  verticals: readonly (readonly string[])[],
  train: (families: readonly string[]) => Promise<RlResult>,
): Promise<RlResult> {
  const { engine } = workspace;
  const file = (name: string): string => workspace.path(join('weights', `${name}.safetensors`));
  await mkdir(workspace.path('weights'), { recursive: true });
  const before = file('before-specialists');
  await workspace.lock?.expect();
  await engine.save(before);
  const result: { turns: number; iterations: RlResult['iterations'] } = { turns: 0, iterations: [] };
  const specialists: string[] = [];
  for (const [index, families] of verticals.entries()) {
    await engine.load(before);
    const { turns, iterations } = await train(families);
    for (const one of iterations)
      result.iterations.push({ ...one, environmentSteps: result.turns + one.environmentSteps });
    result.turns += turns;
    const specialist = file(`specialist-${index + 1}`);
    await workspace.lock?.expect();
    await engine.save(specialist);
    specialists.push(specialist);
  }
  const merged = file('merged');
  await saveCheckpoint(merged, await mergePolicies(specialists));
  await engine.load(merged, { optimiser: false });
  return result;
}
