import { createInterface } from 'node:readline';

/*
 * Speaks the protocol of MobileGym's bridge about a page with one number, which the task wants to be 2. Asks the page as
 * official code does: by functions with arguments, expressions, waits and sleeps.
 */

type Request = { readonly id: number; readonly op: string; readonly terms: Readonly<Record<string, unknown>> };

const evaluate = (expression: string, argument: unknown = null) => ({ kind: 'evaluate', expression, argument });

function* start({ url }: Request['terms']): Generator<object, object, { value?: unknown; error?: string }> {
  yield { kind: 'goto', url };
  yield { kind: 'wait', expression: '() => window.world?.isReady', argument: null, timeoutMs: 10_000 };
  yield { kind: 'sleep', seconds: 0.5 };
  yield evaluate(
    'async ({ number }) => { await new Promise((done) => setTimeout(done, 500)); world.number = number; }',
    {
      number: 1,
    },
  );
  const { error } = yield evaluate('() => { throw new Error("no such app"); }');
  return { instruction: `make it 2; ${error}` };
}

function* act({ type }: Request['terms']): Generator<object, object, unknown> {
  yield evaluate(`world.pressed = ${JSON.stringify(type)}`);
  return {};
}

function* judge({ answer }: Request['terms']): Generator<object, object, { value?: unknown }> {
  const { value } = yield evaluate('window.world');
  const { number, pressed } = value as { number: number; pressed?: string };
  const sideEffects = pressed === undefined ? [] : ['pressed'];
  const goal = number === 2;
  const failed = goal ? [] : [`number (${String(answer)})`];
  return { goal, clean: sideEffects.length === 0, progress: goal ? 1 : 0.5, sideEffects, failed };
}

const operations = { start, act, judge };
let running: Generator<object, object, never> | undefined;

for await (const line of createInterface({ input: process.stdin })) {
  const { id, op, terms } = JSON.parse(line) as Request;
  if (op !== 'answer') running = operations[op as keyof typeof operations](terms);
  const { done, value } = running!.next(terms as never);
  process.stdout.write(`${JSON.stringify({ id, result: done ? { result: value } : { ask: value } })}\n`);
}
