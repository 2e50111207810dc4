import { type Settings, type Workspace, demonstrate, sft } from '@gyre/training';

/** Returns the file of the weights `from` after `steps` supervised steps on the demonstrations of the settings. */
export async function fineTunedWeights(
  workspace: Workspace,
  settings: Settings,
  { from, steps }: { from: string; steps: number },
): Promise<string> {
  await workspace.engine.load(from, { optimiser: false });
  await demonstrate(workspace, settings);
  const onStep = ({ step, demonstrationLoss }: { step: number; demonstrationLoss: number }) => {
    if (step % 100 === 0)
      process.stderr.write(`supervised step ${step} of ${steps}, loss ${demonstrationLoss.toFixed(3)}\n`);
  };
  await sft(workspace, settings, { steps }, { onStep });
  const weights = workspace.path('start.safetensors');
  await workspace.engine.save(weights);
  return weights;
}
