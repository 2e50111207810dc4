// Writes episodes and prints acknowledgements until killed.
import { argv, stdout } from 'node:process';
import { Lake } from '../index.js';
import { anEpisode, startOf } from './sample.test.fixture.js';

const [dir = '', name = 'dying'] = argv.slice(2);
const lake = await Lake.open(dir, { batch: 3 });
for (let number = 0; ; number++) {
  const episode = anEpisode(`${name}/${number}`, 5);
  const writer = await lake.begin(startOf(episode));
  stdout.write(`begin ${episode.id}\n`);
  for (const turn of episode.turns) {
    await writer.append(turn);
    stdout.write(`turn ${episode.id}\n`);
  }
  await writer.finish(episode.end, episode.verdict);
  stdout.write(`end ${episode.id}\n`);
}
