import { type Command } from '../command.js';
import { bench } from './bench.js';
import { doctor } from './doctor.js';
import { evaluate } from './eval.js';
import { exportCommand } from './export.js';
import { flywheel } from './flywheel.js';
import { fork } from './fork.js';
import { lake } from './lake.js';
import { merge } from './merge.js';
import { perception } from './perception.js';
import { replay } from './replay.js';
import { rollout } from './rollout.js';
import { run } from './run.js';
import { serve } from './serve.js';
import { tasks } from './tasks.js';
import { train } from './train.js';

/** Every command, in the order of `gyre --help`. */
export const commands: readonly Command[] = [
  doctor,
  tasks,
  run,
  rollout,
  train,
  flywheel,
  evaluate,
  perception,
  merge,
  exportCommand,
  lake,
  replay,
  fork,
  serve,
  bench,
];
