import { GyreError } from '@gyre/protocol';
import { defaultUser } from '../isolation/view.js';
import { deviceKinds, machineKinds } from './kind.js';
import type { MachineTerms } from './machineTerms.js';

/** Serves leases with the same terms, of any duration and owner. */
export interface WarmTerms extends MachineTerms {
  readonly count: number;
}

const maxCount = 1_000;

export function machineKey({
  kind,
  size,
  clock,
  touch,
  stepMs,
  loadMs,
  ignoreCertificateErrors,
  pictures,
  network,
  wine,
  vm,
  limits,
  readable,
  env,
  user,
  root,
  files,
}: MachineTerms): string {
  const screen =
    kind === 'browser'
      ? {
          clock: clock ?? 'stepped',
          touch: touch ?? false,
          ignoreCertificateErrors: ignoreCertificateErrors ?? false,
          stepMs,
          loadMs,
        }
      : {};
  return sorted({
    kind,
    wine,
    vm,
    size: size ?? defaultSize,
    network: network ?? 'none',
    pictures: pictures ?? true,
    limits: limits ?? {},
    readable: readable ?? [],
    env: env ?? {},
    user: user ?? defaultUser,
    root,
    files: files ?? {},
    ...screen,
  });
}

export const defaultSize = { width: 1_280, height: 720 } as const;

/** Throws `bad_input` for an invalid count or duplicate terms. */
export function checkWarm(warm: readonly WarmTerms[]): void {
  const keys = new Set<string>();
  for (const { count, ...terms } of warm) {
    if (deviceKinds.some((kind: string) => kind === terms.kind)) {
      throw new GyreError('bad_input', `a ${terms.kind} cannot be kept warm`, {
        field: 'warm.kind',
        fix: `use one of ${machineKinds.join(', ')}; devices are connected when they are leased`,
      });
    }
    if (!Number.isInteger(count) || count < 1 || count > maxCount) {
      throw new GyreError('bad_input', `${count} machines cannot be kept warm`, {
        field: 'warm.count',
        fix: `use a whole number from 1 to ${maxCount}`,
      });
    }
    const key = machineKey(terms);
    if (keys.has(key)) {
      throw new GyreError('bad_input', 'two entries keep the same machines warm', {
        field: 'warm',
        fix: 'merge them and add their counts',
      });
    }
    keys.add(key);
  }
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
