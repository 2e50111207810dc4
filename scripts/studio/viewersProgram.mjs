/*
 * Watches the wall as pages do: each viewer follows the stream, reads the wall when episodes begin or end, and fetches the thumbnail of
 * each new screen. Arguments: URL TOKEN VIEWERS.
 */

const [, , url, token, viewers] = process.argv;
let failures = 0;
const headers = { authorization: `Bearer ${token}` };

/** A viewer that is refused, or whose server is busy, looks again with the next event. */
async function get(path) {
  try {
    await (await fetch(url + path, { headers })).arrayBuffer();
  } catch {
    failures++;
  }
}

async function watch() {
  const response = await fetch(`${url}/api/stream`, { headers });
  let rest = '';
  let reading;
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const event = JSON.parse(line.slice(6));
      if (event.type === 'episode.turn') void get(`/api/runs/${event.run}/screenshots/${event.screenshot}?width=240`);
      if (event.type === 'episode.begin' || event.type === 'episode.end') {
        reading ??= setTimeout(() => {
          reading = undefined;
          void get('/api/live');
        }, 100);
      }
    }
  }
}

for (let viewer = 0; viewer < Number(viewers); viewer++) void watch().catch(() => undefined);
setTimeout(() => process.send('ready'), 1_000);
process.once('SIGTERM', () => {
  if (failures > 0) console.error(`${failures} requests of viewers failed`);
  process.exit(0);
});
