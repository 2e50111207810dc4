import { Command as Commander, CommanderError } from 'commander';
import type { Act } from './command.js';
import { type CommandEntry, type CommandGroup, commands } from './commands/index.js';
import { exampleText, helpConfiguration, sentence } from './help.js';
import type * as Performer from './process/perform.js';
import { gyreVersion } from './version.js';

/** 0 done, 1 failed, 2 bad usage, 130 interrupted or output closed. */
export type ExitStatus = 0 | 1 | 2 | 130;

type Performance = Pick<CommandEntry, 'leases' | 'drains'>;

/** `--version` and `--help` do not need it. */
let performer: Promise<typeof Performer> | undefined;
const loadPerformer = () => (performer ??= import('./process/perform.js'));

/** @param argv As `process.argv`. */
export async function main(argv: readonly string[]): Promise<ExitStatus> {
  let status: ExitStatus = 0;
  const actFor =
    ({ leases, drains }: Performance): Act =>
    async (json, body) => {
      const [{ perform }, { Terminal }] = await Promise.all([loadPerformer(), import('./terminal/terminal.js')]);
      status = await perform(new Terminal(json), body, { leases, drains });
    };
  const program = new Commander('gyre')
    .description('Train GUI agents that see only the screen.')
    .version(gyreVersion(), '-V, --version', 'print the version')
    .addHelpText('after', `${exampleText(['gyre doctor', 'gyre flywheel --minutes 10'])}\n\nEvery command has --help.`);
  const words = argv.slice(2).filter((word) => word !== 'help');
  for (const entry of commands) program.addCommand((await commanderOf(entry, words, actFor)).helpGroup(entry.heading!));
  configure(program);
  if (argv.length <= 2) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync([...argv]);
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || error.code === 'commander.help') return error.exitCode === 0 ? 0 : 2;
    const [{ fail }, { Terminal }, { usageError }] = await Promise.all([
      loadPerformer(),
      import('./terminal/terminal.js'),
      import('./command.js'),
    ]);
    return fail(new Terminal(argv.includes('--json')), usageError(error));
  }
}

export async function end(status: ExitStatus): Promise<void> {
  process.exitCode = status;
  if (performer !== undefined) (await performer).endProcess(status);
}

/** Loads the command that `words` begin with; others get a stub for `--help`. */
async function commanderOf(
  entry: CommandEntry | CommandGroup,
  [word, ...others]: readonly string[],
  actFor: (entry: Performance) => Act,
): Promise<Commander> {
  const { name, summary, commands: inner = [] } = entry;
  const selectsInner = inner.some((command) => command.name === others[0]);
  if ('load' in entry && word === name && !selectsInner) return (await entry.load()).commander(entry, actFor(entry));
  const commander = new Commander(name).summary(summary).description(sentence(summary));
  for (const command of inner) commander.addCommand(await commanderOf(command, word === name ? others : [], actFor));
  return commander;
}

function configure(program: Commander): void {
  program
    .configureHelp(helpConfiguration)
    .helpOption('-h, --help', 'print this help')
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        if (!text.startsWith('error:')) process.stderr.write(text);
      },
    });
  for (const inner of program.commands) configure(inner);
}
