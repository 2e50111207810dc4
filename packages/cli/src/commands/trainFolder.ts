import { type Settings, Workspace } from '@gyre/training';
import { path } from '../flag.js';

export const directory = path('where the lake and the weights are', { default: 'runs/train' });
export const from = path(
  'weights to start from; base are those that come with gyre (default: sft.safetensors of the directory)',
  { default: undefined },
);

/** Opens the folder of a training run, does something in it, and closes it whatever happens. */
export async function inWorkspace<T>(
  dir: string,
  settings: Settings,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = await Workspace.open({ dir, ...settings });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}
