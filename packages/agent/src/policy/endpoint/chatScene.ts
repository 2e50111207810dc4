import type { NativeInput, PastScene, Screenshot } from '@gyre/engine';
import type { Action, Reading } from '@gyre/protocol';
import type { ScreenReader } from '../screenTexts.js';

export interface ChatTurn {
  readonly actions: readonly Action[];
  /** The newest screenshot before the turn; undefined if the client has left it out. */
  readonly screenshot?: Screenshot | undefined;
}

/** Older turns are not part of a scene. */
const readTurns = 8;
const maxReadings = 256;

/** Reads the screenshots of chats. Clients send them again with every request, so readings are remembered. */
export class ChatTexts {
  readonly #reader: ScreenReader;
  readonly #known = new Map<string, Promise<Reading>>();

  constructor(reader: ScreenReader) {
    this.#reader = reader;
  }

  read(screenshot: Screenshot, previous?: Parameters<ScreenReader['read']>[1]): Promise<Reading> {
    const { hash, pixels, size } = screenshot;
    const known = this.#known.get(hash) ?? this.#reader.read({ pixels, size }, previous);
    this.#known.delete(hash);
    this.#known.set(hash, known);
    known.catch(() => this.#known.delete(hash));
    if (this.#known.size > maxReadings) this.#known.delete(this.#known.keys().next().value ?? '');
    return known;
  }
}

/** Returns the input of a policy with a reader. The past has no text where a screenshot is missing. */
export async function chatScene(
  texts: ChatTexts,
  { instruction, turns, newest }: { instruction: string; turns: readonly ChatTurn[]; newest: Screenshot },
): Promise<NativeInput> {
  const past: PastScene[] = [];
  let previous: Parameters<ScreenReader['read']>[1];
  for (const [index, { actions, screenshot }] of turns.entries()) {
    const isRead = screenshot && index >= turns.length - readTurns;
    const reading: Reading | undefined = isRead ? await texts.read(screenshot, previous) : undefined;
    if (isRead && reading) previous = { screen: screenshot, reading };
    const next = index + 1 < turns.length ? turns[index + 1]?.screenshot : newest;
    past.push({
      ...{ actions, lines: reading?.lines ?? [], size: screenshot?.size ?? newest.size },
      unchanged: screenshot !== undefined && screenshot.hash === next?.hash,
    });
  }
  const { lines } = await texts.read(newest, previous);
  return {
    ...{ screenshots: [{ ...newest, lines }], tokens: [], clock: turns.length },
    scene: { instruction, past },
  };
}
