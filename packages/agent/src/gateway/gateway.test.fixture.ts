// Prints its address, and waits to be killed.
import { argv, stdout } from 'node:process';
import { Lake } from '@gyre/lake';
import { serveGateway } from './captureServer.js';

const [directory = '', upstream = ''] = argv.slice(2);
const { url } = await serveGateway({ upstream, lake: await Lake.open(directory) });
stdout.write(`${url}\n`);
