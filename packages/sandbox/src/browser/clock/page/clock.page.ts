import { setAnimations, steadyCaret, timelineTime } from './animations.js';
import { setDates } from './dates.js';
import { setHost } from './host.js';
import { setMeasures } from './measures.js';
import { setIdentifiers, setRandomness } from './random.js';
import { Tasks } from './tasks.js';
import { Time } from './time.js';
import { reportUses } from './uses.js';

export interface ClockTerms {
  readonly seed: number;
  readonly epoch: number;
  readonly framesPerSecond: number;
  readonly tickMs: number;
  /** Null in the isolated world. */
  readonly usesBinding: string | null;
}

export default function setClock({ seed, epoch, framesPerSecond, tickMs, usesBinding }: ClockTerms): void {
  const time = new Time(epoch);
  const tasks = new Tasks(time, { framesPerSecond, tickMs, timelineTime });
  setAnimations(tasks);
  setDates(time);
  const fill = setRandomness(seed);
  steadyCaret();
  // The isolated world needs no more.
  if (usesBinding === null) return;
  setMeasures(time);
  setHost(time, tasks);
  reportUses(usesBinding);
  setIdentifiers(fill);
}
