import type { TrainablePart } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import type { ServedSettings } from './servedSettings.js';

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

/** Settings of a run that only native policies can have. */
export interface RunSettings {
  readonly served?: Pick<ServedSettings, 'critic'> | undefined;
  readonly from: string;
  readonly architecture?: string | undefined;
  readonly ppo: Omit<ServerSettings, 'part'> & {
    readonly advantage: string;
    readonly kl: number;
    readonly reward: { readonly orm?: string | undefined };
  };
  readonly cycle: {
    readonly specialists: readonly unknown[];
    readonly sft: { readonly thoughts: { readonly share: number } };
  };
}

/**
 * Expects a run that a served policy can make; accepts any run of a native one.
 *
 * @throws GyreError `bad_input` that names the setting
 */
export function expectServedRun({ served, from, architecture, ppo, cycle }: RunSettings): void {
  if (!served) return;
  expectServable(ppo);
  const refusals: readonly (readonly [isRefused: boolean, field: string, message: string, fix: string])[] = [
    [
      from === 'scratch',
      'from',
      'a served policy cannot start from random weights',
      'serve a model with random weights',
    ],
    [architecture !== undefined, 'architecture', 'is of native policies', 'omit it'],
    [
      ppo.advantage === 'vineppo',
      'ppo.advantage',
      'a served policy cannot be trained by vineppo',
      'use group, critic or none',
    ],
    [
      ppo.advantage === 'critic' && served.critic === undefined,
      'served.critic',
      'advantages by a critic need a second engine',
      'give --critic-engine, or use advantage: group',
    ],
    [ppo.kl > 0, 'ppo.kl', 'a served policy has no reference model', 'set it to 0'],
    [ppo.reward.orm !== undefined, 'ppo.reward.orm', 'a served policy cannot judge outcomes', 'omit it'],
    [
      cycle.specialists.length > 0,
      'cycle.specialists',
      'weights that a server has cannot be merged',
      'omit it: one policy trains on all families',
    ],
    [
      cycle.sft.thoughts.share > 0,
      'cycle.sft.thoughts.share',
      'thoughts of a served policy cannot be bootstrapped',
      'set it to 0: the model thinks by its format',
    ],
  ];
  const refusal = refusals.find(([isRefused]) => isRefused);
  if (!refusal) return;
  const [, field, message, fix] = refusal;
  throw new GyreError('bad_input', message, { field, fix });
}
