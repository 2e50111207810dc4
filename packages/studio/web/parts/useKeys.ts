import { useEffect, useRef } from 'react';

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;
/** Words for keys, such as `first screen` for `Home`. */
export type KeyWords = Readonly<Record<string, string>>;

interface Layer {
  readonly keys: () => Keys;
  readonly words: () => KeyWords;
  /** The frame's keys yield to those of pages. */
  readonly isFrame: boolean;
}

const layers = new Set<Layer>();
/** Keys that follow another one, as in `g h`. */
let following: { readonly keys: Keys; readonly until: number } | undefined;
const followingMs = 1_500;

/**
 * Calls handlers by key, unless a person is typing, a dialog is open or a modifier other than shift is held. Keys with
 * words are listed by `?` and in the palette.
 */
export function useKeys(keys: Keys, words: KeyWords = {}, isFrame = false): void {
  const latest = useRef({ keys, words });
  useEffect(() => {
    latest.current = { keys, words };
  });
  useEffect(() => {
    const layer: Layer = { keys: () => latest.current.keys, words: () => latest.current.words, isFrame };
    if (layers.size === 0) addEventListener('keydown', onKey);
    layers.add(layer);
    return () => {
      layers.delete(layer);
      if (layers.size === 0) removeEventListener('keydown', onKey);
    };
  }, [isFrame]);
}

/** Calls one of these handlers with the next key, if it comes soon. */
export function followKeys(keys: Keys): void {
  following = { keys, until: performance.now() + followingMs };
}

/** A key of the shown page, what it does, and how to do it. */
export interface ListedKey {
  /** As `KeyboardEvent.key` names them. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly isFrame: boolean;
  readonly press: () => void;
}

/** Returns the keys that have words, those that do the same as one. */
export function listedKeys(): ListedKey[] {
  const listed = new Map<string, ListedKey>();
  for (const { keys, words, isFrame } of ordered()) {
    const handlers = keys();
    for (const [key, does] of Object.entries(words())) {
      const handler = handlers[key];
      // A page has some of its keys only at times.
      if (!handler) continue;
      const press = (): void => handler(new KeyboardEvent('keydown', { key }));
      const name = `${isFrame} ${does}`;
      const known = listed.get(name);
      listed.set(name, { keys: [...(known?.keys ?? []), key], does, isFrame, press: known?.press ?? press });
    }
  }
  return [...listed.values()];
}

const ordered = (): Layer[] => [...layers].sort((a, b) => Number(a.isFrame) - Number(b.isFrame));

function onKey(event: KeyboardEvent): void {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], dialog')) return;
  // Space and the like belong to a focused button.
  if (event.key === ' ' && target instanceof HTMLElement && target.closest('button, a, summary')) return;
  const isFollowing = following !== undefined && performance.now() < following.until;
  const next = isFollowing ? following?.keys[event.key] : undefined;
  if (event.key !== 'Shift') following = undefined;
  const handler = next ?? ordered().flatMap(({ keys }) => keys()[event.key] ?? [])[0];
  if (!handler) return;
  event.preventDefault();
  handler(event);
}
