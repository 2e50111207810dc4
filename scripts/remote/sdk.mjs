// Serves a small policy and lets the Python SDK of Tinker train it (sdk.py). Needs Python 3.11; installs the SDK of each
// version given (default 0.25.0 and 0.38.0) into a virtual environment under the user's cache folder.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { contextTokens, EmbeddedEngine, nativePieces, vocabularyOf } from '../../packages/engine/dist/index.js';
import { encodeRequest } from '../../packages/engine/dist/tinker/wire.js';

const token = 'tml-a-token-of-this-test';
const size = { width: 32, height: 32 };
const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** Returns the Python of an environment that has this version of the SDK. */
function install(version) {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const environment = join(cache, 'gyre', `tinker-sdk-${version}`);
  const python = join(environment, 'bin', 'python');
  if (existsSync(join(environment, 'complete'))) return python;
  execFileSync(process.env.PYTHON ?? 'python3', ['-m', 'venv', '--clear', environment]);
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', `tinker==${version}`], { stdio: 'inherit' });
  writeFileSync(join(environment, 'complete'), '');
  return python;
}

async function serve(folder) {
  const architecture = {
    screenshots: 1,
    width: 16,
    heads: 2,
    imageLayers: 0,
    decoderLayers: 1,
    stem: 8,
    role: 'policy',
  };
  const engine = new EmbeddedEngine({ architecture, seed: 1, threads: 1 });
  const checkpoint = join(folder, 'policy.safetensors');
  await engine.save(checkpoint);
  await engine.close();
  const flags = ['--checkpoint', checkpoint, '--output', join(folder, 'weights'), '--token', token, '--port', '0'];
  const bin = pathOf('../../packages/cli/bin/gyre.mjs');
  const child = spawn(process.execPath, [bin, 'serve', 'tinker', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface({ input: child.stderr })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url !== undefined) return { url, child };
  }
  throw new Error('gyre serve tinker ended');
}

async function task() {
  const png = await sharp({ create: { ...size, channels: 3, background: { r: 200, g: 20, b: 20 } } })
    .png()
    .toBuffer();
  const vocabulary = vocabularyOf(size);
  const tokens = contextTokens(vocabulary, 'press "OK"', []);
  const [picture, context] = nativePieces({ pictures: [{ hash: 'red', png, size }], tokens, clock: 0 });
  const action = vocabulary.encode({ type: 'click', point: { x: 0.3, y: 0.8 } });
  const data = [
    { chunks: [{ tokens: [1, 2] }], inputs: new Map([['target_tokens', { type: 'i64', values: [2, 3] }]]) },
  ];
  const config = new Map([['clip_low_threshold', 0.8]]);
  const request = { modelId: 'm', seqId: 5, data, loss: 'ppo', lossConfig: config, forwardOnly: true };
  return {
    ...{ png: png.toString('base64'), cells: picture.length, prompt: context.tokens, action },
    request: Buffer.from(encodeRequest(request)).toString('base64'),
  };
}

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['0.25.0', '0.38.0'];
const folder = mkdtempSync(join(tmpdir(), 'gyre-tinker-sdk-'));
try {
  for (const version of versions) {
    const python = install(version);
    const { url, child } = await serve(folder);
    const exit = once(child, 'exit');
    const env = { ...process.env, TINKER_BASE_URL: url, TINKER_API_KEY: token, TINKER_TELEMETRY: '0' };
    const program = spawn(python, [pathOf('sdk.py'), JSON.stringify(await task())], { stdio: 'inherit', env });
    const [code] = await once(program, 'exit');
    child.kill('SIGINT');
    await exit;
    console.log(`tinker ${version}: ${code === 0 ? 'passed' : 'failed'}`);
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
