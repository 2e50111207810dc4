import type { TurnFormatName } from '@gyre/protocol';

/**
 * The format that a text is in, where it tells: by its tags or the way it writes points. Undefined where it does not, as for boxes
 * of numbers, of which UI-TARS 1.0 means thousandths and 1.5 px.
 */
export function toldFormat(text: string): TurnFormatName | undefined {
  if (text.includes('<seed:tool_call>')) return 't5';
  if (/<(computer_env|code_env)>/.test(text)) return 'environment-tags';
  if (!/^\s*Action:/m.test(text)) return undefined;
  return /_box\s*=|<\|box_start\|>/.test(text) ? undefined : 'doubao';
}
