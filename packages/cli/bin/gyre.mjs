#!/usr/bin/env node

// Until a command listens for signals, nothing has begun that would have to be ended. This listener stays: a signal that comes while
// modules are read is delivered after that, to whoever listens then.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    if (process.listenerCount(name) === 1) process.exit(130);
  });
}
// Whoever read has had enough, as `head` has: no more is written, and `main` ends what is under way.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
const { end, main } = await import('../dist/index.js');
end(await main(process.argv));
