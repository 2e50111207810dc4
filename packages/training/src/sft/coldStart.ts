import type { Settings } from '../flywheel/settings.js';
import { fromScratch } from '../flywheel/settings.js';
import type { SftStep } from './sft.js';
import { recordDemonstrations, trainOnLetters, fineTune } from '../flywheel/stages.js';
import type { Workspace } from '../flywheel/workspace.js';

export interface ColdStart {
  letters?: { steps: number; curve: { step: number; loss: number }[] };
  sft: { steps: number; curve: SftStep[] };
}

type ColdStage = 'demonstrations' | 'letters' | 'sft';

/** Trains on new demonstrations and rendered pages; from random weights, the stem learns letters first,
 * unless the policy has a reader. */
export async function coldStart(
  workspace: Workspace,
  settings: Settings,
  tell: (stage: ColdStage, share: number, message: string) => void,
  signal: AbortSignal | undefined,
): Promise<ColdStart | undefined> {
  const { minutes } = settings;
  const demonstrations = Object.values(settings.demonstrations).reduce((a, b) => a + b, 0);
  if (demonstrations === 0) return undefined;
  const report = (stage: ColdStage, step: number, steps: number, losses: string): void => {
    tell(stage, step / steps, `step ${step} of ${Number.isFinite(steps) ? steps : '?'}, loss: ${losses}`);
  };
  let demonstrated = 0;
  await recordDemonstrations(workspace, settings, {
    signal,
    onEpisode: () => {
      demonstrated++;
      tell(
        'demonstrations',
        demonstrated / demonstrations,
        `${demonstrated} of ${demonstrations} episodes of the oracle`,
      );
    },
  });
  const read =
    settings.from === fromScratch && !workspace.view.reads
      ? await trainOnLetters(
          workspace,
          settings,
          { minutes: minutes * settings.letters.share },
          { signal, onStep: ({ step, loss }, steps) => report('letters', step, steps, loss.toFixed(2)) },
        )
      : undefined;
  const learnt = await fineTune(
    workspace,
    settings,
    { minutes: minutes * settings.sft.share },
    {
      signal,
      onStep: ({ step, demonstrationLoss, perceptionLoss }, steps) => {
        const perception = settings.sft.perception > 0 ? `, perception ${perceptionLoss.toFixed(2)}` : '';
        report('sft', step, steps, `demonstrations ${demonstrationLoss.toFixed(2)}${perception}`);
      },
    },
  );
  return { ...(read && { letters: read }), sft: learnt };
}
