import { Agent, get } from 'node:http';

/*
 * Watches the wall as pages do: each viewer follows the stream, reads the wall when episodes begin or end, and fetches the thumbnail of
 * each new screen. Arguments: URL TOKEN VIEWERS.
 */

const [, , url, token, viewers] = process.argv;
const headers = { authorization: `Bearer ${token}` };
let failures = 0;

async function watch() {
  // As browsers do.
  const agent = new Agent({ keepAlive: true, maxSockets: 6 });
  const request = (path) =>
    new Promise((resolve, reject) => get(url + path, { agent, headers }, resolve).once('error', reject));
  /** A viewer that is refused, or whose server is busy, looks again with the next event. */
  const fetched = async (path) => {
    try {
      const response = await request(path);
      if (response.statusCode !== 200) failures++;
      for await (const _ of response);
    } catch {
      failures++;
    }
  };
  let rest = '';
  let reading;
  for await (const part of (await request('/api/stream')).setEncoding('utf8')) {
    const lines = (rest + part).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const event = JSON.parse(line.slice(6));
      if (event.type === 'episode.turn')
        void fetched(`/api/runs/${event.run}/screenshots/${event.screenshot}?width=240`);
      if (event.type === 'episode.begin' || event.type === 'episode.end') {
        reading ??= setTimeout(() => {
          reading = undefined;
          void fetched('/api/live');
        }, 100);
      }
    }
  }
}

for (let viewer = 0; viewer < Number(viewers); viewer++) void watch().catch(() => failures++);
setTimeout(() => process.send('ready'), 1_000);
process.once('SIGTERM', () => {
  if (failures > 0) console.error(`${failures} requests of viewers failed`);
  process.exit(0);
});
