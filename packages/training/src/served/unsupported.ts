import type { TrainablePart } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

/** Settings that a server of Tinker's API does not take from its client. */
export interface ServerSettings {
  readonly dualClip?: number | undefined;
  readonly entropy?: number | undefined;
  readonly freezeEncoder?: boolean | undefined;
  readonly part?: TrainablePart | undefined;
}

const modules = 'choose the trained modules at the server: trainer.policy.model.lora.exclude_modules=".*visual.*"';

const fixes = {
  dualClip:
    'unset it; set it at the server: trainer.algorithm.policy_loss_type=dual_clip, trainer.algorithm.clip_ratio_c',
  entropy:
    'set it to 0; set it at the server: trainer.algorithm.use_entropy_loss=true, trainer.algorithm.entropy_loss_coef',
  freezeEncoder: `set it to false; ${modules}`,
  part: `use all; ${modules}`,
} satisfies Record<keyof ServerSettings, string>;

/**
 * Expects settings that a served policy can train with. Call it before a run starts.
 *
 * @throws GyreError `bad_input` that names every other setting, and where the server sets it (keys of SkyRL 0.4)
 */
export function expectServable({ dualClip, entropy, freezeEncoder, part }: ServerSettings): void {
  const refused = (
    [
      ['dualClip', dualClip !== undefined],
      ['entropy', entropy !== undefined && entropy !== 0],
      ['freezeEncoder', freezeEncoder === true],
      ['part', part !== undefined && part !== 'all'],
    ] as const
  ).flatMap(([name, isRefused]) => (isRefused ? [name] : []));
  if (refused.length === 0) return;
  throw new GyreError('bad_input', `a served policy cannot be trained with ${refused.join(', ')}`, {
    field: refused.join(', '),
    fix: refused.map((name) => `${name}: ${fixes[name]}`).join('. '),
  });
}
