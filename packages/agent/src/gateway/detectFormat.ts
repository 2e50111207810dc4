import type { TurnFormatName } from '@gyre/protocol';

/**
 * Returns undefined if ambiguous: number boxes are thousandths in UI-TARS 1.0, px in 1.5, and calls of `computer_use`
 * are thousandths in Qwen3-VL, px in Qwen2.5-VL.
 */
export function detectFormat(text: string): TurnFormatName | undefined {
  if (text.includes('<seed:tool_call>')) return 't5';
  if (/<(computer_env|code_env)>/.test(text)) return 'environment-tags';
  if (text.includes('<tool_call>')) return undefined;
  if (/^##? *Code/m.test(text) && /^\s*(?:pyautogui|computer)\./m.test(text)) return 'opencua';
  if (!/^\s*Action:/m.test(text)) return undefined;
  return /_box\s*=|<\|box_start\|>/.test(text) ? undefined : 'doubao';
}
