import { contextTokens, longestContext, type Vocabulary } from '@gyre/engine';
import { GyreError, type TurnFormatName } from '@gyre/protocol';
import { bareInstruction } from './instruction.js';

/** From UI-TARS' public prompts, which `@ui-tars/sdk` sends as one text. */
const instructionMark = '## User Instruction';

export interface NativePrompt {
  readonly instruction: string;
  readonly format: TurnFormatName;
}

/** Extracts the instruction and answer format; T5 by default. */
export function nativePrompt(system: string, first: string): NativePrompt {
  const mark = first.lastIndexOf(instructionMark);
  const template = mark < 0 ? system : `${system}\n${first.slice(0, mark)}`;
  const instruction = mark < 0 ? bareInstruction(first) : first.slice(mark + instructionMark.length).trim();
  return { instruction, format: describedFormat(template) };
}

function describedFormat(template: string): TurnFormatName {
  if (template.includes('<seed:tool_call>')) return 't5';
  if (template.includes('<computer_env>')) return 'environment-tags';
  // Qwen2.5-VL's prompt has the screenshot's size here, for its points in px.
  if (template.includes('"computer_use"') && template.includes('resolution is 1000x1000')) return 'qwen3-vl';
  if (/series of pyautogui actions|PyAutoGUI code/.test(template)) return 'opencua';
  if (!/^\s*Action\s*:/m.test(template)) return 't5';
  if (template.includes('_box=')) return /_box='?(?:<\|box_start\|>)?\(/.test(template) ? 'ui-tars-1.5' : 'ui-tars-1.0';
  return 'doubao';
}

/** @throws GyreError `bad_input` if the instruction is too long */
export function requireFittingInstruction(vocabulary: Vocabulary, instruction: string): void {
  const length = tokensIn(vocabulary, instruction);
  if (length <= longestContext) return;
  const words = instruction.split(/\s+/);
  let fits = 0;
  for (let more = words.length; more >= 1; more = Math.floor(more / 2)) {
    while (fits + more <= words.length && tokensIn(vocabulary, words.slice(0, fits + more).join(' ')) <= longestContext)
      fits += more;
  }
  throw new GyreError(
    'bad_input',
    `the instruction has ${length} tokens, but the native policy takes at most ${longestContext}: one per known word, one per letter of other words`,
    { field: 'messages', fix: `shorten it to its first ${fits} of ${words.length} words` },
  );
}

const tokensIn = (vocabulary: Vocabulary, instruction: string): number =>
  contextTokens(vocabulary, instruction, []).length;
