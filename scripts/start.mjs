import { setUp, SetupError } from './setup.mjs';

/** `npm start -- [flags of gyre flywheel]`: set-up, then the embedded flywheel. */
try {
  await setUp();
  const { end, main } = await import('../packages/cli/dist/index.js');
  end(await main([process.argv[0], 'gyre', 'flywheel', ...process.argv.slice(2)]));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
