import { join, resolve } from 'node:path';
import { compatTerms, Sandbox } from '@gyre/sandbox';
import type { Benchmark } from '../benchmark.js';
import { commitOf, playerFolder } from '../bridge/clone.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';
import { familiesOf } from './family.js';
import { type Place, reasonToLeaveOut } from './needs.js';
import { type OsworldProvider, Seat } from './seat.js';
import { type OfficialTask, readTasks } from './task.js';

const osworldName = 'osworld';

/** As OSWorld's `run.py`; 50 and 100 are reported too. */
const stepBudget = 15;

export interface OsworldOptions {
  readonly code?: OfficialCode;
  /** A clone of OSWorld. */
  readonly directory: string;
  /** Folder for OSWorld's result files. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  /** The most desktops at a time. Default: 1. */
  readonly parallel?: number | undefined;
  /** Lets OSWorld download files that its cache lacks. Default: false. */
  readonly download?: boolean | undefined;
  /** Source of the machines. Default: `gyre`, desktops of this machine. */
  readonly provider?: OsworldProvider | undefined;
  /** Image or machine of OSWorld's own provider. Default: the one that OSWorld downloads or allocates. */
  readonly vm?: string | undefined;
  /** Region of a cloud. */
  readonly region?: string | undefined;
  readonly isInstalled?: Place['isInstalled'];
}

export const osworldCode = () =>
  new OfficialCode({
    name: osworldName,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/**
 * Opens OSWorld on desktops of gyre, or on the machines of its own providers, set up and judged by the package desktop-env.
 * Tasks that such a machine cannot play are left out, by reason.
 *
 * @throws GyreError `missing` before `gyre bench prepare osworld`, `bad_input` for a folder without OSWorld's tasks
 */
export async function openOsworld({
  code = osworldCode(),
  directory,
  results,
  player = 'gyre',
  parallel = 1,
  download = false,
  provider = 'gyre',
  vm,
  region,
  isInstalled,
}: OsworldOptions): Promise<Benchmark> {
  const clone = resolve(directory);
  const cache = join(clone, 'cache');
  const official = await readTasks(clone, {
    ...{ benchmark: 'OSWorld', folder: 'evaluation_examples', flag: '--osworld', repository: 'xlang-ai/OSWorld' },
  });
  const sandbox = await Sandbox.start();
  const seats = new Pool(parallel, () => Seat.start({ sandbox, code, directory: clone, cache, provider, vm, region }));
  const close = async () => {
    await seats.close();
    await sandbox.close();
  };
  try {
    // Fails at once where the code or the desktop is missing.
    const seat = await seats.acquire();
    await seats.release(seat);
    const { evaluators } = seat;
    const place = { cache, download, evaluators, official: provider !== 'gyre', ...(isInstalled && { isInstalled }) };
    const reasonOf = ({ task }: OfficialTask) => reasonToLeaveOut(task, place);
    const folder = results === undefined ? undefined : join(results, 'pyautogui', 'screenshot', playerFolder(player));
    const families = familiesOf(official, {
      ...{ benchmark: 'OSWorld', prefix: 'osworld', screen: compatTerms.osworld.size!, stepBudget, reasonOf },
      terms: { seats, sandbox, results: folder },
    });
    const versions = Object.entries(seat.versions).map((entry) => entry.join(' '));
    return {
      name: osworldName,
      revision: [...versions, `tasks of ${await commitOf(clone, 'evaluation_examples')}`].join(', '),
      ...(provider === 'gyre' && { place: 'gyre/debian' }),
      ...families,
      total: official.length,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
