import { type Settings, type Workspace, demonstrate, sft } from '@gyre/training';

/** The weights `from` after so many supervised `steps` on the demonstrations of the settings: a file in the workspace's folder. */
export async function taught(
  workspace: Workspace,
  settings: Settings,
  { from, steps }: { from: string; steps: number },
): Promise<string> {
  await workspace.engine.load(from, { optimiser: false });
  await demonstrate(workspace, settings);
  await sft(workspace, settings, { steps });
  const weights = workspace.path('start.safetensors');
  await workspace.engine.save(weights);
  return weights;
}
