import { group } from '../command.js';
import { agent } from './benchAgent.js';
import { drill } from './benchDrill.js';
import { engine } from './benchEngine.js';
import { env } from './benchEnv.js';
import { lake } from './benchLake.js';
import { platform } from './benchPlatform.js';
import { quantised } from './benchQuantised.js';
import { soak } from './benchSoak.js';
import { training } from './benchTraining.js';

export const bench = group('bench', 'how fast this machine is', [
  env,
  platform,
  agent,
  soak,
  drill,
  engine,
  quantised,
  training,
  lake,
]);
