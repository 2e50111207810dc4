import { GyreError } from '@gyre/protocol';
import { Command as Commander, type CommanderError, Option } from 'commander';
import { type z } from 'zod';
import { type Flag, optionalCount, type Values } from './flag.js';
import type { Terminal } from './terminal.js';

/** What a command ends with: the object that `--json` prints, and whether it did what it was asked for. */
export interface Outcome {
  readonly result: Record<string, unknown>;
  readonly ok: boolean;
  /** What ended it early, where there is a result of what was done by then. It is told like an error that is thrown. */
  readonly failure?: unknown;
}

/** What a command gets besides its flags. */
export interface Invocation {
  readonly terminal: Terminal;
  /** Aborted by the first ctrl-C. */
  readonly signal: AbortSignal;
  /** `--seed`, by default 1; every source of randomness of the command starts from it. */
  readonly seed: number;
  /** `--seed` where it was typed. */
  readonly typedSeed: number | undefined;
}

/** A word after the command's name. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<string>;
  readonly example: string;
  /** As that of a flag. */
  readonly check?: (name: string, text: string) => void;
  /** One or more words; only of the last argument. */
  readonly several?: true;
  /** With `several`: or none. */
  readonly optional?: true;
}

/** The words of arguments once they are parsed. */
type Words<A extends readonly Argument[]> = { [K in keyof A]: A[K] extends { several: true } ? string[] : string };

/** A command: parses, calls one function, prints. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly commander: (act: Act) => Commander;
}

/** Runs the body of a command; given by `main`, which knows how errors and ctrl-C are handled. */
export type Act = (json: boolean, body: (terminal: Terminal, signal: AbortSignal) => Promise<Outcome>) => Promise<void>;

/** A flag, argument or command that cannot be understood: exit status 2. */
export class UsageError extends GyreError {
  constructor(message: string, detail: { field: string; fix: string }) {
    super('bad_input', message, detail);
  }
}

/**
 * Declares a command with `--json`, `--seed` and the flags given. A flag named `screenSize` is typed `--screen-size`.
 *
 * @param spec.examples command lines that work, shown by `--help`.
 */
export function command<F extends Record<string, Flag>, A extends readonly Argument[] = readonly []>(spec: {
  name: string;
  summary: string;
  description?: string;
  examples: readonly [string, ...string[]];
  arguments?: A;
  flags: F;
  run: (flags: Values<F>, invocation: Invocation, ...words: Words<A>) => Promise<Outcome>;
}): Command {
  const seedFlag = optionalCount('where all randomness starts (default: 1)', { min: 0, example: '7' });
  const flags: Record<string, Flag> = { ...spec.flags, seed: seedFlag };
  const words = spec.arguments ?? [];
  return {
    name: spec.name,
    summary: spec.summary,
    commander: (act) => {
      const program = new Commander(spec.name).summary(spec.summary).description(spec.description ?? spec.summary);
      for (const { name, several, optional, description } of words)
        program.argument(optional ? `[${name}...]` : `<${name}${several ? '...' : ''}>`, description);
      for (const [name, flag] of Object.entries(flags)) program.addOption(option(name, flag));
      program.addOption(new Option('--json', 'print one JSON object as the last line of stdout'));
      program.addHelpText(
        'after',
        `\nExample${spec.examples.length > 1 ? 's' : ''}:\n${spec.examples.map((line) => `  ${line}`).join('\n')}`,
      );
      program.action(async (...given: unknown[]) => {
        const typed = given[words.length] as Record<string, unknown>;
        await act(typed.json === true, async (terminal, signal) => {
          const texts = words.map((word, i) =>
            word.several
              ? (given[i] as unknown[]).map((each) => parse(word.name, word, each) as string)
              : (parse(word.name, word, given[i]) as string),
          );
          const values = Object.fromEntries(
            Object.entries(flags).map(([name, flag]) => [name, parse(`--${dashed(name)}`, flag, typed[name])]),
          );
          for (const [i, word] of words.entries()) for (const text of [texts[i]!].flat()) word.check?.(word.name, text);
          for (const [name, flag] of Object.entries(flags)) flag.check?.(`--${dashed(name)}`, values[name], values);
          const typedSeed = values.seed as number | undefined;
          const invocation = { terminal, signal, seed: typedSeed ?? 1, typedSeed };
          return spec.run(values as Values<F>, invocation, ...(texts as unknown as Words<A>));
        });
      });
      return program;
    },
  };
}

/** A command that only holds others: `gyre train sft`. */
export function group(name: string, summary: string, commands: readonly Command[]): Command {
  return {
    name,
    summary,
    commander: (act) => {
      const program = new Commander(name).summary(summary).description(summary);
      for (const inner of commands) program.addCommand(inner.commander(act));
      return program;
    },
  };
}

function option(name: string, flag: Flag): Option {
  const typed = flag.placeholder === undefined ? `--${dashed(name)}` : `--${dashed(name)} <${flag.placeholder}>`;
  const fallback = flag.schema.safeParse(undefined);
  // The schema knows the default; commander would hand it over as if it had been typed.
  const shown =
    flag.placeholder !== undefined && fallback.success && fallback.data !== undefined
      ? `${flag.description} (default: ${String(fallback.data)})`
      : flag.description;
  return new Option(typed, shown);
}

function parse(name: string, { schema, example }: { schema: z.ZodType; example?: string }, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]?.message ?? 'is not understood';
  const fix = example === undefined ? `see --help` : `for example ${name.startsWith('--') ? `${name} ` : ''}${example}`;
  throw new UsageError(`${name} ${issue}, got "${String(value)}"`, { field: name, fix });
}

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A mistake that commander found, as an error of ours; undefined for `--help` and `--version`, which are none. */
export function usageError(error: CommanderError): UsageError | undefined {
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  const [message = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const field = /'([^']+)'/.exec(message)?.[1] ?? 'arguments';
  const suggestion = /Did you mean (.+)\?/.exec(more.join(' '))?.[1];
  return new UsageError(message, {
    field,
    fix: suggestion === undefined ? 'see --help' : `did you mean ${suggestion}?`,
  });
}
