import { type ChatMessage, promptPicture } from '@gyre/engine';
import { onScreen, sayable, type TurnFormat } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';

import type { Context, PastTurn } from '../policy/policy.js';
import { earlierText, firstWhole, type Recollection, spanText } from '../memory/recollection.js';

type Part = { type: 'text'; text: string } | ReturnType<typeof promptPicture>;

/** Stands for an answer without a text: servers refuse a message that says nothing. */
const nothingSaid = '[no text]';

/** Stands where a screenshot was that is not shown any more. */
const leftOut = '[screenshot left out]';

/** The most screenshots that a conversation shows where it keeps at least `kept`. */
export const mostShown = (kept: number): number => 2 * kept - 1;

/**
 * The first of `count` observations whose screenshot is shown. It moves `kept` at a time: between those steps a conversation only
 * grows, so that a server finds all of the last one in its prefix cache. At least `kept` are shown and at most `mostShown(kept)`.
 */
export function firstShown(count: number, kept: number): number {
  return count <= kept ? 0 : kept * Math.floor((count - kept) / kept);
}

/**
 * An episode so far as messages: the system's, the task, then in turn what the policy printed and what came of it. All texts are
 * kept, but those of spans that were summed up; of the screenshots the last.
 */
export function conversation(
  { task, screenshots, turns }: Pick<Context, 'task' | 'screenshots' | 'turns'>,
  {
    system,
    format,
    kept,
    recollection = { earlier: [], spans: [] },
  }: { system: string; format: TurnFormat; kept: number; recollection?: Recollection },
): ChatMessage[] {
  const begin = firstWhole(recollection);
  const count = turns.length + 1;
  // What the loop has not kept cannot be shown.
  const first = Math.max(firstShown(count, kept), count - screenshots.length);
  const pictureOf = (observation: number): Part => {
    const frame = observation < first ? undefined : screenshots[observation - count + screenshots.length];
    return frame === undefined ? { type: 'text', text: leftOut } : picture(frame);
  };
  const texts = [...recollection.earlier.map(earlierText), task.instruction, ...recollection.spans.map(spanText)];
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: [...texts.map((text): Part => ({ type: 'text', text })), pictureOf(begin)] },
  ];
  for (const [index, turn] of turns.entries()) {
    if (index < begin) continue;
    const results = turn.observation.results?.map(({ text }): Part => ({ type: 'text', text })) ?? [];
    messages.push({ role: 'assistant', content: said(turn, format) });
    messages.push({ role: 'user', content: [...results, pictureOf(index + 1)] });
  }
  return messages;
}

/**
 * To the letter what the policy printed, where it did. What another has done, which printed nothing, is said in the format, or as much
 * of it as that can say: the classic ones have no calls of the SDK.
 */
function said({ text, thought, actions }: PastTurn, format: TurnFormat): string {
  if (text !== undefined && text.trim() !== '') return text;
  const printed = sayable(format, { thought, actions }) ?? sayable(format, { thought, actions: onScreen(actions) });
  return [printed, thought].find((said) => said?.trim()) ?? nothingSaid;
}

/** Of screenshots that may be shown again. */
const pictures = new WeakMap<Frame, Part>();

function picture(frame: Frame): Part {
  const known = pictures.get(frame) ?? promptPicture(frame.png);
  pictures.set(frame, known);
  return known;
}
