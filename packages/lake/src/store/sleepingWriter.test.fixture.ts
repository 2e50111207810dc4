// Writes two turns, waits for input, writes two more and waits to be killed.
import { once } from 'node:events';
import { argv, stdin, stdout } from 'node:process';
import { Lake } from '../index.js';
import { aTurn, anEpisode, startOf } from './sample.test.fixture.js';

const lake = await Lake.open(argv[2] ?? '');
const writer = await lake.begin(startOf(anEpisode('a', 0)));
for (const index of [0, 1]) await writer.append(aTurn(index));
stdout.write('2\n');
await once(stdin, 'data');
for (const index of [2, 3]) await writer.append(aTurn(index));
stdout.write('4\n');
setInterval(() => undefined, 1000);
