// Serves a small policy and trains it by Tinker's Python SDK and by tinker-cookbook:
//   node scripts/remote/sdk.mjs [VERSION of the SDK, or cookbook]...
// Default: 0.25.0, 0.38.0 and cookbook. Installs each into a virtual environment under the user's cache folder. Needs
// Python 3.11 or newer; the cookbook needs torch: that of `npm run test:remote`, else from PyPI if it is named here.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { contextTokens, EmbeddedEngine, nativePieces, vocabularyOf } from '../../packages/engine/dist/index.js';
import { encodeRequest } from '../../packages/engine/dist/tinker/wire.js';
import { findPython, pythonOf, workFolder } from './install.mjs';
import { freePort, ServerProcess } from './processes.mjs';

const token = 'tml-a-token-of-this-test';
const size = { width: 32, height: 32 };
const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const cookbook = 'cookbook';

/** Returns the Python of an environment, which `fill` installs packages into once. */
function environmentOf(name, fill) {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const environment = join(cache, 'gyre', name);
  const python = join(environment, 'bin', 'python');
  if (existsSync(join(environment, 'complete'))) return python;
  execFileSync(findPython([11, 12, 13, 14]), ['-m', 'venv', '--clear', environment], { stdio: 'inherit' });
  fill((...packages) => execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'inherit' }), {
    environment,
    python,
  });
  writeFileSync(join(environment, 'complete'), '');
  return python;
}

const installSdk = (version) => environmentOf(`tinker-sdk-${version}`, (pip) => pip(`tinker==${version}`));

const packagesOf = (python) =>
  execFileSync(python, ['-c', "import sysconfig; print(sysconfig.get_paths()['purelib'])"], {
    encoding: 'utf8',
  }).trim();

/** Returns undefined without torch, unless it may be installed: it is large. */
function installCookbook(mayInstallTorch) {
  const shared = pythonOf(workFolder());
  const hasTorch = existsSync(shared) && existsSync(join(packagesOf(shared), 'torch'));
  if (!hasTorch && !mayInstallTorch) return undefined;
  return environmentOf('tinker-cookbook-0.6.1', (pip, { python }) => {
    // Packages of the environment itself come first.
    if (hasTorch) writeFileSync(join(packagesOf(python), 'shared.pth'), `${packagesOf(shared)}\n`);
    else pip('torch');
    pip('-r', pathOf('requirements-cookbook.txt'));
    pip('--no-deps', 'tinker-cookbook==0.6.1');
  });
}

async function savePolicy(path) {
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
  await engine.save(path);
  await engine.close();
}

/** Programs that end with this script. */
const running = new Set();
process.on('exit', () => running.forEach((program) => program.kill('SIGKILL')));
for (const [name, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
])
  process.on(name, () => process.exit(128 + number));

async function serve(folder, name) {
  const port = await freePort();
  const flags = ['--checkpoint', join(folder, 'policy.safetensors'), '--output', join(folder, 'weights')];
  const server = new ServerProcess('gyre serve tinker', {
    program: process.execPath,
    args: [
      ...[pathOf('../../packages/cli/bin/gyre.mjs'), 'serve', 'tinker', ...flags],
      ...['--token', token, '--port', String(port)],
    ],
    log: join(folder, `${name}.log`),
  });
  running.add(server);
  const url = `http://127.0.0.1:${port}`;
  await server.ready(async () => (await fetch(`${url}/health`)).ok, 120_000);
  const close = async () => {
    await server.stop();
    running.delete(server);
  };
  return { url, close };
}

/** Runs a program of this folder, and returns its output. */
async function run(python, program, { url, args }) {
  const env = { ...process.env, TINKER_BASE_URL: url, TINKER_API_KEY: token, TINKER_TELEMETRY: '0' };
  const child = spawn(python, ['-W', 'ignore', pathOf(program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  running.add(child);
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
    process.stdout.write(text);
  });
  const [code] = await once(child, 'close');
  running.delete(child);
  if (code !== 0) throw new Error(`${program} failed`);
  return output;
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

/** Trains and saves by one server, and resumes from its weights at a second one. */
async function checkSdk(version, folder) {
  const python = installSdk(version);
  const first = await serve(folder, 'first');
  const output = await run(python, 'sdk.py', { url: first.url, args: [JSON.stringify(await task())] });
  await first.close();
  const [path] = /tinker:\/\/\S+/.exec(output) ?? [];
  const second = await serve(folder, 'second');
  await run(python, 'sdk_calls.py', { url: second.url, args: [JSON.stringify(await task()), path] });
  await second.close();
}

async function checkCookbook(python, folder) {
  const { url, close } = await serve(folder, 'cookbook');
  await run(python, 'cookbook.py', { url, args: [JSON.stringify(await task())] });
  await close();
}

const named = process.argv.slice(2);
for (const version of named.length > 0 ? named : ['0.25.0', '0.38.0', cookbook]) {
  const folder = mkdtempSync(join(tmpdir(), 'gyre-tinker-sdk-'));
  running.add({ kill: () => rmSync(folder, { recursive: true, force: true }) });
  await savePolicy(join(folder, 'policy.safetensors'));
  const started = performance.now();
  const python = version === cookbook ? installCookbook(named.includes(cookbook)) : undefined;
  if (version !== cookbook) await checkSdk(version, folder);
  else if (python !== undefined) await checkCookbook(python, folder);
  else {
    console.log(
      'cookbook: skipped: it needs torch. Run npm run test:remote first, or name it: npm run test:sdk cookbook',
    );
    continue;
  }
  console.log(`${version}: passed in ${Math.round((performance.now() - started) / 1_000)} s`);
}
process.exit();
