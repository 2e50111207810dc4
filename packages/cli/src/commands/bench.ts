import { GyreError } from '@gyre/protocol';
import { Command as Commander } from 'commander';
import type { Command } from '../command.js';
import { sentence } from '../help.js';

/** Private: its libraries are not installed with gyre. */
const perf = '@gyre/perf';

/** Returns a stub if gyre comes from the registry. */
export async function bench(name: string): Promise<Command> {
  let url;
  try {
    url = import.meta.resolve(perf);
  } catch {
    return absent;
  }
  const { commands } = (await import(url)) as { commands: Record<string, () => Promise<Command>> };
  return commands[name]!();
}

const absent: Command = {
  commander: ({ name, summary }, act) =>
    new Commander(name)
      .summary(summary)
      .description(sentence(summary))
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() =>
        act(process.argv.includes('--json'), () =>
          Promise.reject(
            new GyreError('missing', `gyre bench ${name} is not part of the installed package`, {
              field: 'bench',
              fix: `run it in a clone of gyre's repository: npm ci && npm run build && npx gyre bench ${name}`,
            }),
          ),
        ),
      ),
};
