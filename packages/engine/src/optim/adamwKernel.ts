import {
  f32,
  f32x4,
  f64,
  f64x2,
  i32,
  instantiate,
  local,
  repeatWhile,
  setLocal,
  teeLocal,
  v128,
  type Code,
} from '../runtime/wasm.js';

/** All four arrays of a pass fit in the L2 cache. */
const chunk = 8192;
const bytes = 4 * chunk;
const smallestNormal = 2 ** -126;
const [weightsAt, gradientAt, mAt, vAt] = [0, bytes, 2 * bytes, 3 * bytes];

export interface StepFactors {
  scale: number;
  beta1: number;
  beta2: number;
  keep: number;
  stepSize: number;
  /** Applied to the second moment's root before eps is added. */
  correction2: number;
  eps: number;
}

const { abs, add, atLeast, div, lane, mul, splat, sqrt, sub } = f32x4;

const step = (() => {
  const names = ['scale', 'beta1', 'rest1', 'beta2', 'rest2', 'keep', 'stepSize', 'correction2', 'eps', 'smallest'];
  const end = local(0);
  // Local 0 is the end in bytes, 1 to 10 are float32 parameters; the same ten follow as vectors.
  const factor = (name: string) => local(11 + names.indexOf(name));
  const [address, g, mean, square, weight, wrong] = [21, 22, 23, 24, 25, 26] as const;
  const here = local(address);
  /** Flushes denormals, into which moments decay: some processors are a hundred times slower on them. */
  const normal = (place: number): Code => v128.and(local(place), atLeast(abs(local(place)), factor('smallest')));
  const less = (place: number): Code => sub(local(place), local(place));
  return {
    parameters: ['i32', ...names.map(() => 'f32' as const)],
    locals: [...names.map(() => 'v128' as const), 'i32', 'v128', 'v128', 'v128', 'v128', 'v128'],
    result: 'f32',
    body: [
      ...names.map((_, place) => setLocal(11 + place, splat(local(1 + place)))),
      setLocal(address, i32.constant(0)),
      repeatWhile(
        i32.lessThan(teeLocal(address, i32.add(here, i32.constant(16))), end),
        setLocal(g, mul(v128.load(here, gradientAt), factor('scale'))),
        setLocal(mean, add(mul(factor('beta1'), v128.load(here, mAt)), mul(factor('rest1'), local(g)))),
        setLocal(mean, normal(mean)),
        v128.store(here, mAt, local(mean)),
        setLocal(
          square,
          add(mul(factor('beta2'), v128.load(here, vAt)), mul(mul(factor('rest2'), local(g)), local(g))),
        ),
        setLocal(square, normal(square)),
        v128.store(here, vAt, local(square)),
        setLocal(
          weight,
          sub(
            mul(factor('keep'), v128.load(here, weightsAt)),
            div(
              mul(factor('stepSize'), local(mean)),
              add(mul(sqrt(local(square)), factor('correction2')), factor('eps')),
            ),
          ),
        ),
        v128.store(here, weightsAt, local(weight)),
        // x - x is 0 if finite, otherwise NaN, which persists in the sum.
        setLocal(wrong, add(local(wrong), add(less(weight), less(square)))),
      ),
      [0, 1, 2, 3].map((place) => lane(local(wrong), place)).reduce(f32.add),
    ],
  } as const;
})();

const squares = (() => {
  const end = local(0);
  const [address, four, lower, upper] = [1, 2, 3, 4] as const;
  const here = local(address);
  const addSquare = (sum: number, pair: Code) => setLocal(sum, f64x2.add(local(sum), f64x2.mul(pair, pair)));
  return {
    parameters: ['i32'],
    locals: ['i32', 'v128', 'v128', 'v128'],
    result: 'f64',
    body: [
      setLocal(address, i32.constant(0)),
      repeatWhile(
        i32.lessThan(teeLocal(address, i32.add(here, i32.constant(16))), end),
        setLocal(four, v128.load(here, gradientAt)),
        addSquare(lower, f64x2.promoteLower(local(four))),
        addSquare(upper, f64x2.promoteLower(v128.upper(local(four)))),
      ),
      [lower, upper].flatMap((sum) => [f64x2.lane(local(sum), 0), f64x2.lane(local(sum), 1)]).reduce(f64.add),
    ],
  } as const;
})();

const { memory, functions } = instantiate({ step, squares }, (4 * bytes) / 65_536);
const [weights, gradients, ms, vs] = [weightsAt, gradientAt, mAt, vAt].map(
  (at) => new Float32Array(memory, at, chunk),
) as [Float32Array, Float32Array, Float32Array, Float32Array];

function put(to: Float32Array, from: Float32Array, start: number, end: number): void {
  to.set(from.subarray(start, end));
  to.fill(0, end - start, (end - start + 3) & ~3);
}

function endOf(count: number): number {
  return 4 * ((count + 3) & ~3);
}

export function sumOfSquares(gradient: Float32Array, start: number, end: number): number {
  let sum = 0;
  for (let from = start; from < end; from += chunk) {
    const to = Math.min(end, from + chunk);
    put(gradients, gradient, from, to);
    sum += functions.squares(endOf(to - from));
  }
  return sum;
}

/**
 * Updates elements `start` to `end - 1` in float32 SIMD, bit-identical on every machine. Returns whether all weights
 * and moments are finite.
 */
export function stepAdamW(
  arrays: { weights: Float32Array; gradient: Float32Array; m: Float32Array; v: Float32Array },
  start: number,
  end: number,
  { scale, beta1, beta2, keep, stepSize, correction2, eps }: StepFactors,
): boolean {
  let finite = true;
  for (let from = start; from < end; from += chunk) {
    const to = Math.min(end, from + chunk);
    put(weights, arrays.weights, from, to);
    put(gradients, arrays.gradient, from, to);
    put(ms, arrays.m, from, to);
    put(vs, arrays.v, from, to);
    const wrong = functions.step(
      endOf(to - from),
      ...[scale, beta1, 1 - beta1, beta2, 1 - beta2, keep, stepSize, correction2, eps, smallestNormal],
    );
    if (wrong !== 0) finite = false;
    arrays.weights.set(weights.subarray(0, to - from), from);
    arrays.m.set(ms.subarray(0, to - from), from);
    arrays.v.set(vs.subarray(0, to - from), from);
  }
  return finite;
}
