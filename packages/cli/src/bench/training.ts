import { trainDeep } from './engine.js';

/** A program of `benchEngine`: trains as its argument says, and prints what it cost. */
const { recompute, ms } = JSON.parse(process.argv[2]!) as { recompute: boolean; ms: number };
process.stdout.write(JSON.stringify(await trainDeep(recompute, ms)));
