import { type ChatMessage, promptPicture } from '@gyre/engine';
import { onScreen, printIfExpressible, type TurnFormat } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';

import type { Context, PastTurn } from '../policy/policy.js';
import { instructionText } from './instruction.js';
import { earlierText, firstWhole, type Recollection, spanText } from '../memory/recollection.js';

type Part = { type: 'text'; text: string } | ReturnType<typeof promptPicture>;

/** Servers refuse empty messages. */
const nothingSaid = '[no text]';

/** In the place of screenshots, where there is no screen. */
const yourTurn = '[your turn]';

const leftOut = '[screenshot left out]';

export const maxShown = (minScreenshots: number): number => 2 * minScreenshots - 1;

/**
 * Returns the first observation with a screenshot. Moves in steps of `minScreenshots`, so that prompts hit the server's prefix
 * cache in between. Shows `minScreenshots` to `maxShown(minScreenshots)`.
 */
export function firstShown(count: number, minScreenshots: number): number {
  return count <= minScreenshots ? 0 : minScreenshots * Math.floor((count - minScreenshots) / minScreenshots);
}

/** Builds an episode's messages, with all text except summarised spans and the latest screenshots. */
export function conversation(
  { task, screenshots, turns }: Pick<Context, 'task' | 'screenshots' | 'turns'>,
  {
    system,
    format,
    minScreenshots,
    recollection = { earlier: [], spans: [] },
  }: { system: string; format: TurnFormat; minScreenshots: number; recollection?: Recollection },
): ChatMessage[] {
  const begin = firstWhole(recollection);
  const count = turns.length + 1;
  // The loop may have stored fewer.
  const first = Math.max(firstShown(count, minScreenshots), count - screenshots.length);
  const screenless = !task.surfaces.includes('screen');
  const pictureOf = (observation: number): Part => {
    if (screenless) return { type: 'text', text: yourTurn };
    const frame = observation < first ? undefined : screenshots[observation - count + screenshots.length];
    return frame === undefined ? { type: 'text', text: leftOut } : picture(frame);
  };
  const texts = [
    ...recollection.earlier.map(earlierText),
    instructionText(format.name, task.instruction),
    ...recollection.spans.map(spanText),
  ];
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: [...texts.map((text): Part => ({ type: 'text', text })), pictureOf(begin)] },
  ];
  for (const [index, turn] of turns.entries()) {
    if (index < begin) continue;
    const results = turn.observation.results?.map(({ text }): Part => ({ type: 'text', text })) ?? [];
    messages.push({ role: 'assistant', content: textOfTurn(turn, format) });
    messages.push({ role: 'user', content: [...results, pictureOf(index + 1)] });
  }
  return messages;
}

/** Prints other policies' turns in the format as far as possible. */
function textOfTurn({ text, thought, actions }: PastTurn, format: TurnFormat): string {
  if (text !== undefined && text.trim() !== '') return text;
  const printed =
    printIfExpressible(format, { thought, actions }) ??
    printIfExpressible(format, { thought, actions: onScreen(actions) });
  return [printed, thought].find((said) => said?.trim()) ?? nothingSaid;
}

const pictures = new WeakMap<Frame, Part>();

function picture(frame: Frame): Part {
  const known = pictures.get(frame) ?? promptPicture(frame.png);
  pictures.set(frame, known);
  return known;
}
