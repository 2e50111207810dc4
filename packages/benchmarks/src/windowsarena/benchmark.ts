import { join, resolve } from 'node:path';
import { Sandbox } from '@gyre/sandbox';
import type { Benchmark } from '../benchmark.js';
import { commitOf, playerFolder } from '../bridge/clone.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';
import { familiesOf } from '../osworld/family.js';
import { reasonToLeaveOut } from '../osworld/needs.js';
import { type OfficialTask, readTasks } from '../osworld/task.js';
import { ArenaSeat } from './seat.js';

const windowsArenaName = 'windowsagentarena';

/** As WindowsAgentArena-V2; the first version has 15. */
const stepBudget = 30;

const clientFolder = join('src', 'win-arena-container', 'client');

export interface WindowsArenaOptions {
  readonly code?: OfficialCode;
  /** A clone of WindowsAgentArena or WindowsAgentArena-V2. */
  readonly directory: string;
  /** Hosts of machines with their server on port 5000. Each plays one task at a time. */
  readonly machines: readonly string[];
  /** Shell command that restarts the machine MACHINE before every task, and ends when it answers. Default: none. */
  readonly restart?: string | undefined;
  /** Folder for result files. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  /** Lets the official code download files that its cache lacks. Default: false. */
  readonly download?: boolean | undefined;
  readonly onLog?: ((text: string) => void) | undefined;
}

export const windowsArenaCode = () =>
  new OfficialCode({
    name: windowsArenaName,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/**
 * Opens WindowsAgentArena on machines with its Windows and server, set up and judged by a clone's own code.
 *
 * @throws GyreError `missing` before `gyre bench prepare windowsagentarena`, `bad_input` for a folder without its tasks,
 * `infra` for a machine that does not answer
 */
export async function openWindowsArena({
  code = windowsArenaCode(),
  directory,
  machines,
  restart,
  results,
  player = 'gyre',
  download = false,
  onLog,
}: WindowsArenaOptions): Promise<Benchmark> {
  const client = join(resolve(directory), clientFolder);
  const cache = join(client, 'cache');
  const official = await readTasks(client, {
    ...{ benchmark: 'WindowsAgentArena', folder: 'evaluation_examples_windows', flag: '--windowsagentarena' },
    repository: 'GAIR-NLP/WindowsAgentArena-V2',
  });
  const sandbox = await Sandbox.start();
  const seats = new Pool(machines.length, (place) =>
    ArenaSeat.start({ code, client, cache, machine: machines[place]!, restart, onLog }),
  );
  const close = async () => {
    await seats.close();
    await sandbox.close();
  };
  try {
    const seat = await seats.acquire();
    await seats.release(seat);
    const { evaluators, screen } = seat;
    const place = { cache, download, evaluators, official: true };
    const reasonOf = ({ task }: OfficialTask) => reasonToLeaveOut(task, place);
    // The trial 0, as its run.py.
    const folder = results === undefined ? undefined : join(resolve(results), '0', playerFolder(player));
    const families = familiesOf(official, {
      ...{ benchmark: 'WindowsAgentArena', prefix: 'windowsarena', screen, stepBudget, reasonOf },
      terms: { seats, sandbox, results: folder, counted: true },
    });
    return {
      name: windowsArenaName,
      revision: `code and tasks of ${await commitOf(resolve(directory), clientFolder)}`,
      ...families,
      total: official.length,
      notes: () =>
        restart === undefined ? ['windowsagentarena: machines were not restarted between tasks (--restart)'] : [],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
