/** A store as JSON values by path. */
export type Facts = ReadonlyMap<string, string>;

/**
 * Flattens a store. Items created during the task (keys `new…`) count by content, so that their order does not matter.
 * Texts are trimmed.
 *
 * @param anyOrder paths of lists of plain values whose order does not count.
 */
export function factsOf(store: unknown, anyOrder: readonly string[] = []): Facts {
  const facts = new Map<string, string>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string') facts.set(path, JSON.stringify(value.trim()));
    else if (typeof value !== 'object' || value === null) facts.set(path, JSON.stringify(value ?? null));
    else if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
      facts.set(path, textOf(anyOrder.includes(path) ? value.map(String).sort() : value));
    } else {
      for (const [key, item] of Object.entries(value)) {
        if (!/^new\d/.test(key)) walk(item, `${path}/${key}`);
        else {
          const createdPath = `${path}/+${textOf(item)}`;
          facts.set(createdPath, String(Number(facts.get(createdPath) ?? 0) + 1));
        }
      }
    }
  };
  walk(store, '');
  return facts;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'string') return inner.trim();
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export function newKey(items: Readonly<Record<string, unknown>>): string {
  for (let number = 1; ; number++) if (!(`new${number}` in items)) return `new${number}`;
}
