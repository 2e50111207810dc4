import { builtInPolicyNames } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { adapterOf, architectureOf, firstWeights, type Settings, Workspace } from '@gyre/training';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputFile, outputFolder } from '../flags/flag.js';
import type { Terminal } from '../terminal/terminal.js';

/** Begins the names of weights at a server. */
export const servedWeights = 'tinker://';

export const directory = outputFolder('directory of the lake and the weights', { default: 'runs/train' });
export const from = inputFile(
  'weights to start from: a file, base, pixels, or tinker://MODEL/weights/NAME of a served policy (default: from the settings, or those of gyre train sft in the directory)',
  { default: undefined, words: [...builtInPolicyNames, servedWeights] },
);

/**
 * Returns the weights from which a run in this directory starts; undefined for those that the server has.
 *
 * @param from default: those of `gyre train sft`, if the policy is served only where there are any
 */
export function startOf(dir: string, { served }: Pick<Settings, 'served'>, from: string | undefined) {
  const fineTuned = join(dir, served ? 'sft.json' : 'sft.safetensors');
  if (served && from === undefined && !existsSync(fineTuned)) return undefined;
  return firstWeights({ served, from: from ?? fineTuned });
}

/**
 * Loads an earlier run's checkpoint, if there is one, and stores the recipe beside it. Returns the steps done. Throws
 * 'bad_input' if the recipe has no more.
 */
export async function resumedSteps(
  { engine, dir }: Workspace,
  checkpoint: string,
  recipe: { readonly steps: number },
): Promise<number> {
  const done = existsSync(checkpoint) ? (await engine.load(checkpoint)).policyVersion : 0;
  if (done >= recipe.steps) {
    throw new GyreError('bad_input', `${checkpoint} already has ${done} steps`, {
      field: '--steps',
      fix: `give more than ${done}`,
    });
  }
  await writeFile(join(dir, 'recipe.json'), JSON.stringify(recipe, null, 2));
  return done;
}

/** Prints and returns the folder of a checkpoint's LoRA adapter, if one was pulled. */
export async function pulledAdapter(checkpoint: string, terminal: Terminal): Promise<{ readonly adapter?: string }> {
  const adapter = checkpoint.endsWith('.json') ? await adapterOf(checkpoint) : undefined;
  if (adapter === undefined) return {};
  terminal.print(`its LoRA adapter, for vLLM and gyre merge: ${adapter}`);
  return { adapter };
}

/** Opens the directory for a policy that starts from these weights. */
export async function inWorkspace<T>(
  dir: string,
  settings: Settings,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = await Workspace.open({ dir, ...settings, architecture: await architectureOf(settings) });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}
