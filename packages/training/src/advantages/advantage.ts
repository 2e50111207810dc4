import { GyreError } from '@gyre/protocol';

/** `[time]`, of an episode or a fragment; computed in 64 bits, rounded to 32 at the end. */
type Sequence = ArrayLike<number>;

/** Returns `G_t = r_t + gamma G_(t+1)`, `[time]`, with `G = bootstrap` after the last step. */
export function returns(rewards: Sequence, gamma: number, bootstrap = 0): Float32Array {
  const out = new Float32Array(rewards.length);
  let following = bootstrap;
  for (let t = rewards.length - 1; t >= 0; t--) {
    following = rewards[t]! + gamma * following;
    out[t] = following;
  }
  return out;
}

export interface GaeInput {
  readonly rewards: Sequence;
  /** Values of the states acted in, `[time]`. */
  readonly values: Sequence;
  /** Value after the last reward. Default 0: the episode ended. */
  readonly bootstrap?: number;
  readonly gamma: number;
  /**
   * `[time]`, 0 for tokens that were not sampled, such as observations. These take no time: their rewards belong to the
   * last sampled token. Default: all 1.
   */
  readonly mask?: ArrayLike<number> | undefined;
}

/**
 * Returns generalised advantage estimates (Schulman et al. 2016, arXiv 1506.02438, eq. 16): `delta_t = r_t + gamma
 * V_(t+1) - V_t`, `A_t = delta_t + gamma lambda A_(t+1)`.
 * @returns `[time]`, 0 where the mask is
 * @throws GyreError 'shape'
 */
export function gae({
  rewards,
  values,
  bootstrap = 0,
  gamma,
  lambda,
  mask,
}: GaeInput & { lambda: number }): Float32Array {
  if (values.length !== rewards.length) {
    throw new GyreError('shape', `got ${rewards.length} rewards but ${values.length} values`, {
      field: 'values',
      fix: 'give one value per reward, and the value of the last state as bootstrap',
    });
  }
  if (mask !== undefined && mask.length !== rewards.length) {
    throw new GyreError('shape', `got ${rewards.length} rewards but a mask of ${mask.length}`, { field: 'mask' });
  }
  const out = new Float32Array(rewards.length);
  let advantage = 0;
  let nextValue = bootstrap;
  let inGap = 0;
  for (let t = rewards.length - 1; t >= 0; t--) {
    if (mask?.[t] === 0) {
      inGap += rewards[t]!;
      continue;
    }
    const delta = rewards[t]! + inGap + gamma * nextValue - values[t]!;
    inGap = 0;
    advantage = delta + gamma * lambda * advantage;
    out[t] = advantage;
    nextValue = values[t]!;
  }
  return out;
}

/**
 * Returns decoupled GAE (VC-PPO, arXiv 2503.01491; VAPO, arXiv 2504.05118): advantages by `lambdaPolicy`, critic
 * targets `R_t = V_t + A_t(lambdaCritic)`. With `lambdaCritic` 1 the targets are Monte-Carlo returns.
 * @returns both `[time]`, 0 where the mask is
 */
export function decoupledGae(input: GaeInput & { readonly lambdaPolicy: number; readonly lambdaCritic: number }): {
  advantages: Float32Array;
  returns: Float32Array;
} {
  const advantages = gae({ ...input, lambda: input.lambdaPolicy });
  const targets = gae({ ...input, lambda: input.lambdaCritic });
  for (let t = 0; t < targets.length; t++) if (input.mask?.[t] !== 0) targets[t] = targets[t]! + input.values[t]!;
  return { advantages, returns: targets };
}

/**
 * Returns `1 - 1 / (alpha l)`, clamped to 0..1 (VAPO, arXiv 2504.05118, eq. 6).
 * @param length steps of the estimate (tokens, or turns)
 */
export function lengthAdaptiveLambda(length: number, alpha = 0.05): number {
  if (!(length > 0 && alpha > 0)) return 0;
  return Math.min(1, Math.max(0, 1 - 1 / (alpha * length)));
}

export interface SegmentInput {
  readonly rewards: Sequence;
  /** Values of the states acted in, `[time]`; undefined where none was estimated. The first is required. */
  readonly values: readonly (number | undefined)[];
  readonly gamma: number;
}

/**
 * Returns the advantages of VinePPO (arXiv 2410.01679, eq. 7), `[time]`. A valued state `s` and the next one, `n` steps
 * later, bound a segment, whose steps share `A = r_s + gamma r_(s+1) + ... + gamma^n V_(s+n) - V_s`. After the last
 * segment the episode has ended.
 *
 * Unbiased if valued states are chosen without regard to what follows them.
 * @throws GyreError 'shape'; 'bad_input' without a first value
 */
export function segmentAdvantages({ rewards, values, gamma }: SegmentInput): Float32Array {
  if (values.length !== rewards.length) {
    throw new GyreError('shape', `got ${rewards.length} rewards but ${values.length} values`, { field: 'values' });
  }
  const out = new Float32Array(rewards.length);
  let end = rewards.length;
  let following = 0;
  for (let t = rewards.length - 1; t >= 0; t--) {
    following = rewards[t]! + gamma * following;
    const value = values[t];
    if (value === undefined) continue;
    out.fill(following - value, t, end);
    end = t;
    following = value;
  }
  if (end === 0) return out;
  throw new GyreError('bad_input', 'the first state has no value', {
    field: 'values',
    fix: 'estimate the value of the first decision of each episode',
  });
}

export interface GroupOptions {
  /**
   * Divides by the group's sample deviation plus 1e-6; false keeps the scale of the rewards (Dr. GRPO, arXiv
   * 2503.20783). Default true.
   */
  readonly normalise?: boolean;
  /** Subtracts the mean of the others (RLOO, arXiv 2402.14740). Default false. */
  readonly leaveOneOut?: boolean;
}

/**
 * Returns `A_i = (r_i - mean(r)) / std(r)` (GRPO, arXiv 2402.03300, eq. 3); 0 where all rewards are equal.
 * @param rewards total reward of each attempt, `[attempts]`
 */
export function groupAdvantages(
  rewards: Sequence,
  { normalise = true, leaveOneOut = false }: GroupOptions = {},
): Float32Array {
  const n = rewards.length;
  const out = new Float32Array(n);
  if (n < 2) return out;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += rewards[i]!;
  const mean = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (rewards[i]! - mean) ** 2;
  const scale = normalise ? 1 / (Math.sqrt(squares / (n - 1)) + 1e-6) : 1;
  // r_i - (sum - r_i) / (n - 1) = (r_i - mean) n / (n - 1)
  const others = leaveOneOut ? n / (n - 1) : 1;
  for (let i = 0; i < n; i++) out[i] = (rewards[i]! - mean) * others * scale;
  return out;
}

/** Assigns each token its turn's advantage, `[sum of tokenCounts]`. */
export function spreadOverTokens(perTurn: Sequence, tokenCounts: ArrayLike<number>): Float32Array {
  if (perTurn.length !== tokenCounts.length) {
    throw new GyreError('shape', `got ${perTurn.length} turns but ${tokenCounts.length} token counts`, {
      field: 'tokenCounts',
    });
  }
  let total = 0;
  for (let i = 0; i < tokenCounts.length; i++) total += tokenCounts[i]!;
  const out = new Float32Array(total);
  for (let turn = 0, token = 0; turn < perTurn.length; turn++) {
    const end = token + tokenCounts[turn]!;
    out.fill(perTurn[turn]!, token, end);
    token = end;
  }
  return out;
}
