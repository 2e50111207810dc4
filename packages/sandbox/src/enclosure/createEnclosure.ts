import { GyreError } from '@gyre/protocol';
import { BareEnclosure } from './bareEnclosure.js';
import { BubblewrapEnclosure } from './bubblewrapEnclosure.js';
import type { BubblewrapOptions } from './bubblewrapOptions.js';
import type { Enclosure, Hold, Limits } from './enclosure.js';
import { runOnHost } from './program.js';

export interface EnclosureOptions extends BubblewrapOptions {
  /** `auto` is the best that works here; it is never `none`, which has to be said. Default: `auto`. */
  readonly isolation?: 'auto' | 'bubblewrap' | 'none';
}

/**
 * A place for the programs of one session. Throws 'missing' where no walls can be built and none were not asked for, and
 * what `BubblewrapEnclosure.create` throws.
 */
export async function createEnclosure({ isolation = 'auto', ...options }: EnclosureOptions = {}): Promise<Enclosure> {
  if (isolation === 'none') {
    if (options.network !== undefined && options.network !== 'none') {
      throw new GyreError('bad_input', 'without walls nothing holds a session to an allow-list', { field: 'network' });
    }
    return BareEnclosure.create(options);
  }
  if (isolation !== 'auto' && isolation !== 'bubblewrap') {
    throw new GyreError('bad_input', `isolation is ${JSON.stringify(isolation)}`, {
      field: 'isolation',
      fix: 'write auto, bubblewrap or none',
    });
  }
  try {
    return await BubblewrapEnclosure.create(options);
  } catch (error) {
    if (!(error instanceof GyreError) || error.detail.field !== 'isolation') throw error;
    const fix = `${error.detail.fix ?? ''}; or do without walls by isolation: 'none', with programs that you trust`;
    throw new GyreError('missing', error.message, { field: 'isolation', fix, cause: error });
  }
}

/** What isolation there is on this machine for this user, by having built it. */
export type Isolation =
  | {
      readonly kind: 'bubblewrap';
      readonly holds: Readonly<Record<keyof Limits, Hold>>;
      /** Whether system calls are filtered: by Perl, on x64 and arm64. */
      readonly filtered: boolean;
    }
  | {
      readonly kind: 'none';
      /** Whether something has to be installed for it. */
      readonly missing: boolean;
      readonly reason: string;
      readonly fix: string;
    };

/** Builds walls, runs a program within them, and says what has held. Never throws for what is missing here. */
export async function probeIsolation(options: Pick<BubblewrapOptions, 'directory'> = {}): Promise<Isolation> {
  try {
    const enclosure = await BubblewrapEnclosure.create(options);
    const { file, args } = enclosure.command('true');
    const { code, stderr } = await runOnHost(file, args);
    await enclosure.close();
    if (code === 0) {
      return { kind: 'bubblewrap', holds: enclosure.holds, filtered: enclosure.harness.filter };
    }
    const reason = `programs cannot enter the namespaces of a session: ${stderr}`;
    return { kind: 'none', missing: true, reason, fix: 'install util-linux 2.38 or later' };
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return {
      kind: 'none',
      missing: error.code === 'missing' && process.platform === 'linux',
      reason: error.message,
      fix: error.detail.fix ?? '',
    };
  }
}
