#!/usr/bin/env node
import { main } from '../dist/index.js';

// Whoever read has had enough, as `head` has: no more is written, and `main` ends what is under way.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
process.exitCode = await main(process.argv);
