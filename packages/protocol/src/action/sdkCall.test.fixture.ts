import fc from 'fast-check';
import type { SdkCall } from '../index.js';

/** JSON values that survive a round trip: no `__proto__` keys, no negative zero. */
const json = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 })
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.includes('__proto__'))
  .map((text) => JSON.parse(text) as Record<string, unknown>);

export function sdkCalls(words: fc.Arbitrary<string>): fc.Arbitrary<SdkCall> {
  const any = fc.oneof(fc.constant(''), words);
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
  const line = fc.integer({ min: 1, max: 1e9 });
  const lines = fc.tuple(line, fc.oneof(fc.constant(-1), fc.nat(1e6))).map(([from, more]): [number, number] => {
    return [from, more === -1 ? more : from + more];
  });
  const seconds = fc.double({ min: 0, minExcluded: true, max: 600, noNaN: true });
  const editor = { type: fc.constant('str_replace_editor' as const), path: words };
  const calls = fc.oneof(
    fc.record({
      type: fc.constant('execute_bash' as const),
      command: any,
      input: maybe(fc.boolean()),
      seconds: maybe(seconds),
    }),
    fc.record({ ...editor, command: fc.constant('view' as const), lines: maybe(lines) }),
    fc.record({ ...editor, command: fc.constant('create' as const), text: any }),
    fc.record({ ...editor, command: fc.constant('str_replace' as const), old: words, new: maybe(any) }),
    fc.record({ ...editor, command: fc.constant('insert' as const), afterLine: fc.nat(), new: any }),
    fc.record({ type: fc.constant('jupyter' as const), code: words, seconds: maybe(seconds) }),
    fc.record({ type: fc.constant('search' as const), query: words }),
    fc.record({ type: fc.constant('link_reader' as const), url: words, description: maybe(any) }),
    fc.record({ type: fc.constant('mcp_tool' as const), server: words, tool: words, arguments: maybe(json) }),
  );
  return calls as fc.Arbitrary<SdkCall>;
}
