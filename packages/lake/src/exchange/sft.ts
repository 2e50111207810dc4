import { type Episode, type TurnFormatName, isCopied, printIfExpressible, turnFormat } from '@gyre/protocol';
import { systemPrompt, userPrompt } from './prompt.js';
import { screenshotPath } from './screenshotPath.js';

export interface SftMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** 1 in the last answer only. */
  readonly loss_mask: 0 | 1;
}

/** Screenshots are in the order of their marks. */
export interface SftSample {
  readonly episode: string;
  readonly turn: number;
  readonly messages: readonly SftMessage[];
  readonly images: readonly string[];
}

/** Qwen2-VL processors repeat the pad once per image token. */
const imageMark = '<|vision_start|><|image_pad|><|vision_end|>';

/**
 * Returns a sample per turn that the format can express: earlier answers as text, and the last `window` screenshots.
 * Turns without actions, and thoughts that read like actions, are neither trained on nor in the history. Copied turns
 * and those that a person marked as bad are in the history only. `only` names the turns to train on (default: all).
 */
export function sftSamples(
  episode: Episode,
  {
    format,
    window,
    only,
  }: { readonly format: TurnFormatName; readonly window: number; readonly only?: readonly number[] | undefined },
): SftSample[] {
  const language = turnFormat(format, episode.task.screen);
  const answers = episode.turns.flatMap(({ index, thought, actions }) => {
    const before = index === 0 ? episode.observation : episode.turns[index - 1]!.observation;
    const content = printIfExpressible(language, { thought, actions });
    return content === undefined ? [] : [{ turn: index, content, image: screenshotPath(before.screenshot) }];
  });
  const beginning: SftMessage[] = [
    { role: 'system', content: systemPrompt, loss_mask: 0 },
    { role: 'user', content: userPrompt(episode.task.instruction, format, episode.task.screen), loss_mask: 0 },
  ];
  return answers.flatMap(({ turn }, last) => {
    if (isCopied(episode, { index: turn }) || episode.turns[turn]?.mark?.bad || (only && !only.includes(turn)))
      return [];
    const seen = answers.slice(0, last + 1);
    const firstShown = seen.length - window;
    const sample: SftSample = {
      episode: episode.id,
      turn,
      messages: [
        ...beginning,
        ...seen.flatMap(({ content }, number): SftMessage[] => [
          ...(number < firstShown ? [] : [{ role: 'user', content: imageMark, loss_mask: 0 } as const]),
          { role: 'assistant', content, loss_mask: number === last ? 1 : 0 },
        ]),
      ],
      images: seen.slice(Math.max(firstShown, 0)).map(({ image }) => image),
    };
    return [sample];
  });
}
