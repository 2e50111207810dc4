import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { newParameters, referenceBatch, time } from '../engine/referenceModel.js';
import { replyOf } from './peerProcess.js';
import type { PeerReply, PeerRequest } from './trainer.js';

/** Without recommended packages, Debian's libtorch gets the slow reference BLAS. */
const fix = 'apt-get install --no-install-recommends python3-torch libopenblas0-pthread';

/** Debian's packages need Debian's Python, which another may precede in PATH. */
const interpreters = ['python3', '/usr/bin/python3'];

export async function runTorch(request: PeerRequest, pythons: readonly string[] = interpreters): Promise<PeerReply> {
  const { size, batch, ms } = request;
  const parameters = newParameters(size);
  const specs = parameters.specs.map(({ name, shape }) => [name, shape]);
  const settings = JSON.stringify({ heads: size.heads, layers: size.layers, batch, time, ms, specs });
  const { tokens, targets } = referenceBatch(batch);
  const input = Buffer.concat([parameters.data, tokens, targets].map((array) => new Uint8Array(array.buffer)));
  const script = fileURLToPath(new URL('../../../scripts/torchReference.py', import.meta.url));
  const env = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', ...(await kernels()) };
  for (const python of pythons) {
    const reply = await replyOf(python, [script, settings], { env, input });
    if (!('missing' in reply)) return reply;
  }
  return { missing: fix };
}

/** Names the kernels: OpenBLAS 0.3.21 runs unknown processors at half speed. */
async function kernels(): Promise<Record<string, string>> {
  if (process.env.OPENBLAS_CORETYPE) return {};
  const processor = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  return processor.includes('avx512f') ? { OPENBLAS_CORETYPE: 'SkylakeX' } : {};
}
