import type { Change } from './candidate.js';

export type AppliedChanges = { readonly store: object } | { readonly unfit: string };

/** Applies changes in sequence. Values keep their kind and parents must exist, to expose invented paths. */
export function applyChanges(store: object, changes: readonly Change[]): AppliedChanges {
  const changed = structuredClone(store);
  for (const change of changes) {
    const unfit = apply(changed, change);
    if (unfit !== undefined) return { unfit: `${change.path} ${unfit}` };
  }
  return { store: changed };
}

function apply(store: object, change: Change): string | undefined {
  const keys = change.path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  let within: unknown = store;
  for (const key of keys) {
    if (!has(within, key)) return `does not exist: there is no "${key}"`;
    within = within[key];
  }
  if (typeof within !== 'object' || within === null) return 'is inside a value that has no children';
  const there = has(within, last);
  const holder = within as Record<string, unknown>;
  if ('remove' in change) {
    if (!there) return 'does not exist and cannot be removed';
    if (Array.isArray(within)) within.splice(Number(last), 1);
    else delete holder[last];
    return undefined;
  }
  if (there && kindOf(holder[last]) !== kindOf(change.value)) {
    return `is ${kindOf(holder[last])}, not ${kindOf(change.value)}`;
  }
  if (there) holder[last] = change.value;
  else if (Array.isArray(within)) {
    if (last !== '-' && last !== String(within.length)) return 'is past the end of a list';
    within.push(change.value);
  } else if (last === '__proto__') return 'is not a valid name';
  else holder[last] = change.value;
  return undefined;
}

function has(holder: unknown, key: string): holder is Record<string, unknown> {
  if (Array.isArray(holder) && !/^\d+$/.test(key)) return false;
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
