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

/** Numbers per pass: all four arrays fit into the second-level cache. */
const chunk = 8192;
const bytes = 4 * chunk;
/** As a float32. */
const smallestNormal = 2 ** -126;
/** Addresses of the four arrays. */
const [weightsAt, gradientAt, mAt, vAt] = [0, bytes, 2 * bytes, 3 * bytes];

/** Factors of a step, see `AdamW.step`. */
export interface StepFactors {
  /** On the gradient. */
  scale: number;
  beta1: number;
  beta2: number;
  /** On the weight, before the step. */
  keep: number;
  /** On the first moment. */
  stepSize: number;
  /** On the root of the second moment, before eps is added. */
  correction2: number;
  eps: number;
}

const { abs, add, atLeast, div, lane, mul, splat, sqrt, sub } = f32x4;

const step = (() => {
  const names = ['scale', 'beta1', 'rest1', 'beta2', 'rest2', 'keep', 'stepSize', 'correction2', 'eps', 'smallest'];
  const end = local(0);
  // Parameters are 0 (the end, in bytes) and 1 to 10 (float32); locals are the same ten as vectors, and the following.
  const factor = (name: string) => local(11 + names.indexOf(name));
  const [address, g, mean, square, weight, wrong] = [21, 22, 23, 24, 25, 26] as const;
  const here = local(address);
  /** Flushes denormal numbers, into which moments decay: some processors are a hundred times slower on them. */
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
        // A finite number minus itself is 0; any other is NaN, which stays.
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

/** Copies part of an array, with zeros up to a whole group of four. */
function put(to: Float32Array, from: Float32Array, start: number, end: number): void {
  to.set(from.subarray(start, end));
  to.fill(0, end - start, (end - start + 3) & ~3);
}

/** Returns the end of the last group of four, in bytes. */
function endOf(count: number): number {
  return 4 * ((count + 3) & ~3);
}

/** Sums the squares of `gradient[start]` to `gradient[end - 1]` in 64 bits; non-finite if one of them is. */
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
 * Steps the elements `start` to `end - 1`, in 32 bits and four at a time: several times faster than JavaScript, with the same numbers on
 * every machine. Returns whether all weights and moments are finite.
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
