import { architectureOf, type Settings, Workspace } from '@gyre/training';
import { inputFile, outputFolder } from '../flags/flag.js';

export const directory = outputFolder('directory of the lake and the weights', { default: 'runs/train' });
export const from = inputFile('weights to start from, or base (default: sft.safetensors in the directory)', {
  default: undefined,
  words: ['base'],
});

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
