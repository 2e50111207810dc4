import type { TurnFormatName } from '@gyre/protocol';

/** Prints a task's instruction as the format's models were trained on it. */
export function instructionText(format: TurnFormatName, instruction: string): string {
  switch (format) {
    case 'qwen3-vl':
      // As OSWorld's agent has it in the first turn (mm_agents/qwen3vl_agent.py).
      return `\nPlease generate the next move according to the UI screenshot, instruction and previous actions.\n\nInstruction: ${instruction}\n\nPrevious actions:\nNone`;
    case 'opencua':
      // As in xlang-ai/OSWorld, mm_agents/opencua/prompts.py.
      return `# Task Instruction:\n${instruction}\n\nPlease generate the next move according to the screenshot, task instruction and previous steps (if provided).\n`;
    default:
      return instruction;
  }
}

const wrappings: readonly RegExp[] = [
  /^\s*Please generate the next move according to the UI screenshot, [^\n]*\n\nInstruction: ([\s\S]*?)\n\nPrevious actions:\n/,
  /^\s*# Task Instruction:\n([\s\S]*?)\n\nPlease generate the next move according to /,
];

/** Inverts {@link instructionText}, for prompts of any agent. */
export function bareInstruction(text: string): string {
  return wrappings.map((wrapping) => wrapping.exec(text)?.[1]).find((inside) => inside !== undefined) ?? text;
}
