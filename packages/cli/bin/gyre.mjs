#!/usr/bin/env node

// Until a command listens for signals, nothing runs that would have to be stopped. This listener stays: a signal that arrives while
// modules load is delivered afterwards, to the command's listener if there is one.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    if (process.listenerCount(name) === 1) process.exit(130);
  });
}
// The reader has closed the pipe, as `head` does: no more is written, and `main` stops the command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
const { end, main } = await import('../dist/main.js');
await end(await main(process.argv));
