import { GyreError } from '@gyre/protocol';
import { BareEnclosure } from './bareEnclosure.js';
import { bubblewrapBuilder } from './bubblewrap.js';
import type { Enclosure, EnclosureHold, Limits } from './enclosure.js';
import { podmanBuilder } from './podman.js';
import { runOnHost } from './program.js';
import { IsolatedEnclosure } from './isolatedEnclosure.js';
import { IsolationUnavailable, type IsolationBuilder } from './isolationBuilder.js';
import type { IsolationOptions } from './isolationOptions.js';

export const isolations = ['auto', 'bubblewrap', 'podman', 'none'] as const;

export interface EnclosureOptions extends IsolationOptions {
  /** `auto` is bubblewrap, never `none`. Default: `auto`. */
  readonly isolation?: (typeof isolations)[number];
  /** An image in podman's store, with bash, coreutils and util-linux. Default: the host's system. */
  readonly image?: string;
}

/** Throws 'missing' if the isolation is unavailable, and the errors of `IsolatedEnclosure.create`. */
export async function createEnclosure(options: EnclosureOptions = {}): Promise<Enclosure> {
  const { isolation = 'auto', image, ...rest } = options;
  if (!isolations.includes(isolation)) {
    throw new GyreError('bad_input', `unknown isolation ${JSON.stringify(isolation)}`, {
      field: 'isolation',
      fix: `use ${isolations.slice(0, -1).join(', ')} or none`,
    });
  }
  if (image !== undefined && isolation !== 'podman') {
    throw new GyreError('bad_input', `${isolation} does not support images`, {
      field: 'image',
      fix: "use isolation: 'podman'",
    });
  }
  if (rest.root !== undefined && (isolation === 'none' || isolation === 'podman')) {
    throw new GyreError('bad_input', `isolation ${isolation} gives no session a root of its own`, {
      field: 'root',
      fix: "omit it, or use isolation: 'bubblewrap'",
    });
  }
  if (rest.root !== undefined && rest.user !== undefined) {
    throw new GyreError('bad_input', 'the user of a session with a root of its own is root', {
      field: 'user',
      fix: 'omit it',
    });
  }
  if (isolation === 'none') {
    if (rest.network !== undefined && rest.network !== 'none') {
      throw new GyreError('bad_input', 'a session without isolation cannot enforce an allow-list', {
        field: 'network',
      });
    }
    if (rest.user !== undefined) {
      throw new GyreError('bad_input', 'a session without isolation runs as the user of this machine', {
        field: 'user',
        fix: 'omit it, or use isolation',
      });
    }
    return BareEnclosure.create(rest);
  }
  try {
    return await IsolatedEnclosure.create(rest, isolation === 'podman' ? podmanBuilder(image) : bubblewrapBuilder);
  } catch (error) {
    if (!(error instanceof IsolationUnavailable)) throw error;
    const fix = `${error.detail.fix ?? ''}; or use isolation: 'none' for programs that you trust`;
    throw new GyreError('missing', error.message, { field: 'isolation', fix, cause: error });
  }
}

/** Isolation that this user can have on this machine. */
export type Isolation =
  | {
      readonly kind: IsolationBuilder['kind'];
      readonly holds: Readonly<Record<keyof Limits, EnclosureHold>>;
      /** Whether system calls are filtered; needs Perl, and x64 or arm64. */
      readonly filtered: boolean;
      readonly apart: boolean;
    }
  | {
      readonly kind: 'none';
      readonly missing: boolean;
      readonly reason: string;
      readonly fix: string;
    };

/** Runs a program in an enclosure and returns what works on this machine. */
export async function probeIsolation(
  options: Pick<IsolationOptions, 'directory'> & { readonly builder?: IsolationBuilder['kind'] } = {},
): Promise<Isolation> {
  const { builder = 'bubblewrap', ...rest } = options;
  try {
    const enclosure = await IsolatedEnclosure.create(rest, builder === 'podman' ? podmanBuilder() : bubblewrapBuilder);
    const { file, args } = enclosure.command('true');
    const { code, stderr } = await runOnHost(file, args);
    await enclosure.close();
    if (code === 0) {
      const { kind, holds, apart, restrictions } = enclosure;
      return { kind, holds, apart, filtered: restrictions.filter };
    }
    const reason = `cannot enter the namespaces of a session: ${stderr}`;
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
