import { setUp, SetupError } from './setup.mjs';

// During setup, until the command handles signals itself, there is nothing to clean up.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    if (process.listenerCount(name) === 1) process.exit(130);
  });
}

/** `npm start -- [flags of gyre flywheel]`: setup, then the flywheel. */
try {
  await setUp();
  const { end, main } = await import('../packages/cli/dist/index.js');
  await end(await main([process.argv[0], 'gyre', 'flywheel', ...process.argv.slice(2)]));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
