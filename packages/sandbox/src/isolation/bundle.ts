import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

/** The parts of a bundle's config.json (OCI runtime specification) that sessions use. */
const Config = z.object({
  root: z.object({ path: z.string() }),
  process: z.object({ env: z.array(z.string()).default([]) }),
});

export interface Bundle {
  /** On the host. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

const bundleRoot = 'rootfs';

/** Reads a folder with a root file system, or with config.json and rootfs. Throws 'corrupt'. */
export function readBundle(folder: string): Bundle {
  const file = join(folder, 'config.json');
  if (!existsSync(file) || !existsSync(join(folder, bundleRoot))) return { root: folder, env: {} };
  const parsed = Config.safeParse(parsedJson(readFileSync(file, 'utf8')));
  if (parsed.success && parsed.data.root.path === bundleRoot) {
    return { root: join(folder, bundleRoot), env: variables(parsed.data.process.env) };
  }
  throw new GyreError('corrupt', `${file} is no configuration of a bundle`, {
    field: 'root',
    fix: `use a bundle whose root.path is ${bundleRoot}, or delete config.json`,
  });
}

/** Names that shells cannot export are left out. */
function variables(env: readonly string[]): Record<string, string> {
  const pairs = env.map((entry) => [entry.split('=', 1)[0]!, entry.slice(entry.indexOf('=') + 1)] as const);
  return Object.fromEntries(pairs.filter(([name, value]) => /^[A-Za-z_]\w*$/.test(name) && !value.includes('\0')));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
