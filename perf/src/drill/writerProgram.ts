// Acknowledges each step on stdout, and waits to be killed.
import { argv, stdout } from 'node:process';
import { Lake } from '@gyre/lake';
import { drillEpisode, drillScreenshot } from './drillEpisode.js';

const [folder = '', name = ''] = argv.slice(2);
const lake = await Lake.open(folder, { batch: 3 });
stdout.write('open\n');
for (let number = 0; ; number++) {
  const { turns, end, verdict, ...start } = drillEpisode(`${name}/${number}`);
  const shot = await lake.putScreenshot(drillScreenshot(start.id));
  stdout.write(`screenshot ${shot}\n`);
  const writer = await lake.begin(start);
  for (const turn of turns) {
    await writer.append(turn);
    stdout.write(`turn ${start.id}\n`);
  }
  await writer.finish(end, verdict);
  stdout.write(`end ${start.id}\n`);
}
