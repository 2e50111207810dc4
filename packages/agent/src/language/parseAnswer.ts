import type { ModelCompletion, AnsweredCall } from '@gyre/engine';
import type { TurnFormat, TurnResult } from '@gyre/protocol';

export interface ParsedAnswer {
  /** Includes calls that the server extracted. */
  readonly text: string;
  readonly thought?: string;
  readonly parsed: TurnResult;
}

/** Parses an answer. Reinserts calls that the server extracted, and recovers a turn misread as a thought. */
export function parseAnswer(
  format: Pick<TurnFormat, 'name' | 'parse'>,
  { text, thought, calls, cut }: Pick<ModelCompletion, 'text' | 'thought' | 'calls' | 'cut'>,
): ParsedAnswer {
  const called = calls === undefined ? '' : calledIn(format, calls);
  const isBlank = text.trim() === '';
  const printed = isBlank ? called : text;
  const possible = [
    printed,
    ...(called !== '' && !isBlank ? [text + called, called] : []),
    ...(printed === '' && !cut && thought !== undefined ? [thought] : []),
  ];
  const read = possible.map((candidate) => ({ candidate, parsed: format.parse(candidate) }));
  const isExact = ({ parsed }: (typeof read)[number]) => parsed.ok && !parsed.notices;
  // Text next to calls looks like a final answer: when the format is guessed, prefer the calls.
  const { candidate, parsed } =
    read.find(isExact) ??
    read.slice(1).find(({ parsed: { ok } }) => ok) ??
    read.find(({ parsed: { ok } }) => ok) ??
    read[Math.min(1, read.length - 1)]!;
  const around = candidate === called && !isBlank ? text.trim() : undefined;
  const parsedThought = parsed.ok ? parsed.thought : undefined;
  const separateThought = candidate === thought ? undefined : thought;
  const thoughts = [separateThought, around, parsedThought].filter((each) => each !== undefined && each !== '');
  return { text: candidate, ...(thoughts.length > 0 && { thought: [...new Set(thoughts)].join('\n') }), parsed };
}

/** Leaves malformed arguments for the format to report. */
function calledIn({ name }: Pick<TurnFormat, 'name'>, calls: readonly AnsweredCall[]): string {
  if (name === 't5') return `<seed:tool_call>${calls.map(calledInT5).join('')}</seed:tool_call>`;
  if (name === 'qwen3-vl') return calls.map(calledInQwen).join('\n');
  const printed = `Action: ${calls.map(calledInClassic).join('\n\n')}`;
  return name === 'environment-tags' ? `<computer_env>\n${printed}\n</computer_env>` : printed;
}

function calledInT5({ name, arguments: rawArguments }: AnsweredCall): string {
  const values = argumentsOf(rawArguments);
  const parameters =
    values?.map(([key, value]) => `<parameter=${key}>${valueText(value)}</parameter>`).join('') ?? rawArguments;
  return `<function=${name}>${parameters}</function>`;
}

function calledInQwen({ name, arguments: rawArguments }: AnsweredCall): string {
  const args = rawArguments.trim() === '' ? '{}' : rawArguments;
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`;
}

function calledInClassic({ name, arguments: rawArguments }: AnsweredCall): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
  const parameters = argumentsOf(rawArguments)?.map(([key, value]) => `${key}=${quoted(valueText(value))}`);
  return `${name}(${parameters?.join(', ') ?? rawArguments})`;
}

function argumentsOf(json: string): [string, unknown][] | undefined {
  if (json.trim() === '') return [];
  try {
    const parsedArguments: unknown = JSON.parse(json);
    return typeof parsedArguments === 'object' && parsedArguments !== null && !Array.isArray(parsedArguments)
      ? Object.entries(parsedArguments)
      : undefined;
  } catch {
    return undefined;
  }
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
