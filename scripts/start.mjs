import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp, SetupError } from './setup.mjs';

// During setup, until the command handles signals itself, there is nothing to clean up.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    if (process.listenerCount(name) === 1) process.exit(130);
  });
}

/** `npm start -- [--no-studio] [flags of gyre flywheel]`: setup, then the flywheel with the studio beside it. */
const flags = process.argv.slice(2).filter((flag) => flag !== '--no-studio');
const isWatched =
  flags.length === process.argv.length - 2 && !['--help', '-h', '--json'].some((flag) => flags.includes(flag));
try {
  await setUp();
  const studio = isWatched ? serveStudio() : undefined;
  const { end, main } = await import('../packages/cli/dist/index.js');
  const code = await main([process.argv[0], 'gyre', 'flywheel', ...flags]);
  studio?.kill();
  await end(code);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

/** Starts the studio in a process of its own, which prints its link. Without it, training goes on. */
function serveStudio() {
  const directory = flags.includes('--directory') ? flags[flags.indexOf('--directory') + 1] : undefined;
  const runs = dirname(directory ?? 'runs/new');
  mkdirSync(runs, { recursive: true });
  const gyre = fileURLToPath(new URL('../packages/cli/bin/gyre.mjs', import.meta.url));
  const studio = spawn(process.execPath, [gyre, 'studio', runs], { stdio: ['ignore', 'pipe', 'pipe'] });
  studio.stdout.on('data', (text) => console.error(`watch its episodes: ${String(text).trim()}`));
  studio.stderr.resume();
  studio.on('error', (error) => console.error(`the studio did not start: ${error.message}`));
  process.on('exit', () => studio.kill());
  return studio;
}
