import type { TurnFormatName } from '@gyre/protocol';

/** Returns undefined if ambiguous: number boxes are thousandths in UI-TARS 1.0, px in 1.5. */
export function detectFormat(text: string): TurnFormatName | undefined {
  if (text.includes('<seed:tool_call>')) return 't5';
  if (/<(computer_env|code_env)>/.test(text)) return 'environment-tags';
  if (!/^\s*Action:/m.test(text)) return undefined;
  return /_box\s*=|<\|box_start\|>/.test(text) ? undefined : 'doubao';
}
