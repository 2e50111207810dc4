import { GyreError } from '@gyre/protocol';
import { Command as Commander, type CommanderError, Option } from 'commander';
import { type z } from 'zod';
import { type Flag, optionalCount, type Values } from './flags/flag.js';
import { exampleText, sentence } from './help.js';
import type { Terminal } from './terminal/terminal.js';

export interface Outcome {
  readonly result: Record<string, unknown>;
  readonly ok: boolean;
  readonly failure?: unknown;
}

export interface Invocation {
  readonly terminal: Terminal;
  /** Aborted by the first ctrl-C. */
  readonly signal: AbortSignal;
  readonly seed: number;
  readonly typedSeed: number | undefined;
  /** Gives the command more time to stop after a signal, in ms. */
  readonly extend: Extend;
}

export type Extend = (ms: number) => void;

export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<string>;
  readonly example: string;
  /** See `Flag`. */
  readonly check?: (name: string, text: string) => void;
  /** Last argument only. */
  readonly several?: true;
  /** With `several`: may be empty. */
  readonly optional?: true;
}

type Words<A extends readonly Argument[]> = { [K in keyof A]: A[K] extends { several: true } ? string[] : string };

export interface Command {
  readonly commander: (entry: { name: string; summary: string }, act: Act) => Commander;
}

export type Act = (json: boolean, body: Body) => Promise<void>;

export type Body = (terminal: Terminal, signal: AbortSignal, extend: Extend) => Promise<Outcome>;

/** Exits with status 2. */
export class UsageError extends GyreError {
  constructor(message: string, detail: { field: string; fix: string }) {
    super('bad_input', message, detail);
  }
}

/**
 * Declares a command with `--json`, `--seed` and flags; `screenSize` becomes `--screen-size`. Names and summaries are
 * in `commands/index.ts`, so that `gyre --help` loads no command.
 */
export function command<F extends Record<string, Flag>, A extends readonly Argument[] = readonly []>(spec: {
  description?: string;
  examples: readonly [string, ...string[]];
  arguments?: A;
  flags: F;
  run: (flags: Values<F>, invocation: Invocation, ...words: Words<A>) => Promise<Outcome>;
}): Command {
  const seedFlag = optionalCount('seed of all randomness (default: 1)', { min: 0, example: '7' });
  const flags: Record<string, Flag> = { ...spec.flags, seed: seedFlag };
  const words = spec.arguments ?? [];
  return {
    commander: ({ name, summary }, act) => {
      const program = new Commander(name).summary(summary).description(spec.description ?? sentence(summary));
      for (const { name, several, optional, description } of words)
        program.argument(optional ? `[${name}...]` : `<${name}${several ? '...' : ''}>`, description);
      // Commander orders headings by their first flags.
      const isHeaded = ([, { heading }]: [string, Flag]) => heading !== undefined;
      const sorted = Object.entries(flags).toSorted((a, b) => Number(isHeaded(a)) - Number(isHeaded(b)));
      for (const [name, flag] of sorted) program.addOption(option(name, flag));
      program.addOption(new Option('--json', 'print one JSON object as the last line of stdout'));
      program.addHelpText('after', exampleText(spec.examples));
      program.action(async (...actionArguments: unknown[]) => {
        const typed = actionArguments[words.length] as Record<string, unknown>;
        await act(typed.json === true, async (terminal, signal, extend) => {
          const texts = words.map((word, i) =>
            word.several
              ? (actionArguments[i] as unknown[]).map((each) => parse(word.name, word, each) as string)
              : (parse(word.name, word, actionArguments[i]) as string),
          );
          const values = Object.fromEntries(
            Object.entries(flags).map(([name, flag]) => [name, parse(`--${dashed(name)}`, flag, typed[name])]),
          );
          for (const [i, word] of words.entries()) for (const text of [texts[i]!].flat()) word.check?.(word.name, text);
          for (const [name, flag] of Object.entries(flags)) flag.check?.(`--${dashed(name)}`, values[name], values);
          const typedSeed = values.seed as number | undefined;
          const invocation = { terminal, signal, seed: typedSeed ?? 1, typedSeed, extend };
          return spec.run(values as Values<F>, invocation, ...(texts as unknown as Words<A>));
        });
      });
      return program;
    },
  };
}

function option(name: string, flag: Flag): Option {
  const typed = flag.placeholder === undefined ? `--${dashed(name)}` : `--${dashed(name)} <${flag.placeholder}>`;
  const fallback = flag.schema.safeParse(undefined) as { success: boolean; data?: string | number | boolean };
  // Commander would pass a default on as if it had been typed.
  const description =
    flag.placeholder !== undefined && fallback.success && fallback.data !== undefined
      ? `${flag.description} (default: ${fallback.data})`
      : flag.description;
  const commanderOption = new Option(typed, description);
  return flag.heading === undefined ? commanderOption : commanderOption.helpGroup(flag.heading);
}

function parse(name: string, { schema, example }: { schema: z.ZodType; example?: string }, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]?.message ?? 'is invalid';
  const fix = example === undefined ? `see --help` : `for example ${name.startsWith('--') ? `${name} ` : ''}${example}`;
  throw new UsageError(`${name} ${issue}, got "${String(value)}"`, { field: name, fix });
}

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function usageError(error: CommanderError): UsageError {
  const [message = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const field = /'([^']+)'/.exec(message)?.[1] ?? 'arguments';
  const suggestion = /Did you mean (.+)\?/.exec(more.join(' '))?.[1];
  return new UsageError(message, {
    field,
    fix: suggestion === undefined ? 'see --help' : `did you mean ${suggestion}?`,
  });
}
