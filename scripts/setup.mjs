import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Setup for `npm test` and `npm start`. Each step does nothing if it is already done. */

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Thrown by a failed setup step. The message says what to do. */
export class SetupError extends Error {}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Time in ms between SIGTERM and SIGKILL: apt-get lets dpkg finish a file. */
const graceMs = 1_000;

/**
 * Runs a program in the root, with its output on stderr so that stdout stays the caller's. Resolves to its exit status. A signal ends the
 * program and its children, then this process with status 130.
 */
export async function run(program, args, env = {}) {
  // In its own process group, which can be killed as a whole.
  const options = { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, ...env }, detached: true };
  const child = spawn(program, args, options);
  const end = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // It has ended.
    }
  };
  let stopped = false;
  const kill = () => {
    end('SIGKILL');
    process.exit(130);
  };
  const stop = () => {
    if (stopped) return;
    stopped = true;
    end('SIGTERM');
    setTimeout(kill, graceMs);
  };
  for (const name of signals) process.on(name, stop);
  try {
    const [status] = await once(child, 'exit');
    if (stopped) kill();
    return status ?? 1;
  } catch (error) {
    throw new SetupError(`cannot start ${program}: ${error.message}`);
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}

/** Path of a program of an installed package, for `node`. */
export function program(name, file) {
  return `${root}node_modules/${name}/${file}`;
}

/** Compares node_modules with package-lock.json by content: a checkout changes modification times. */
function packagesAreInstalled() {
  const installedPath = `${root}node_modules/.package-lock.json`;
  if (!existsSync(installedPath)) return false;
  const locked = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedPath, 'utf8')).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link || entry.optional || entry.devOptional || entry.peer) return true;
    return installed[path]?.version === entry.version && existsSync(`${root}${path}`);
  });
}

export async function installPackages() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new SetupError(`Node ${process.versions.node} is too old: gyre needs 20.19 or later.`);
  if (packagesAreInstalled()) return;
  console.error('installing npm packages');
  const install = () => run('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error']);
  // One retry covers a brief registry failure.
  if ((await install()) !== 0 && (await install()) !== 0)
    throw new SetupError('npm ci failed: see its messages above, and check that the npm registry is reachable.');
}

/** Removes output of deleted sources: the compiler does not, and stale tests would still run. */
function removeStaleOutput() {
  for (const name of [...readdirSync(`${root}packages`).map((name) => `packages/${name}`), 'perf']) {
    const [dist, src] = [`${root}${name}/dist/`, `${root}${name}/src/`];
    if (!existsSync(dist)) continue;
    for (const file of readdirSync(dist, { recursive: true })) {
      if (!file.endsWith('.js')) continue;
      const stem = file.slice(0, -'.js'.length);
      if (existsSync(`${src}${stem}.ts`) || existsSync(`${src}${stem}.tsx`)) continue;
      for (const ending of ['.js', '.js.map', '.d.ts', '.d.ts.map']) rmSync(`${dist}${stem}${ending}`, { force: true });
      // Otherwise the compiler sees no change.
      rmSync(`${dist}.tsbuildinfo`, { force: true });
    }
  }
}

export async function build() {
  removeStaleOutput();
  if ((await run(process.execPath, [program('typescript-native', 'bin/tsc'), '-b'])) !== 0)
    throw new SetupError('the build failed: see the compiler messages above.');
  if ((await run(process.execPath, [`${root}scripts/bundle.mjs`])) !== 0)
    throw new SetupError('bundling the page scripts failed: see the messages above.');
}

/** Installs browser, fonts, desktop programs, adb, ffmpeg, a Jupyter kernel, the Vulkan loader and bubblewrap through apt, and pyautogui through pip. Throws if something required is still missing. */
export async function installSystemPackages() {
  const { systemChecks } = await import('../packages/cli/dist/doctor/doctor.js');
  const before = await systemChecks();
  // Optional packages are requested once: a machine that cannot get them should not retry at every start.
  const requestedPath = `${root}node_modules/.gyre-asked-for-packages`;
  const requested = existsSync(requestedPath) ? readFileSync(requestedPath, 'utf8').split('\n') : [];
  const isNew = (name) => !requested.includes(name);
  const incomplete = before.filter(
    (check) => !check.ok || [...(check.debian ?? []), ...(check.pypi ?? [])].some(isNew),
  );
  if (incomplete.length === 0) return;
  const packages = incomplete.flatMap((check) => check.debian ?? []);
  const apt = process.platform === 'linux' && existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
  if (apt && packages.length > 0) {
    console.error(`installing ${packages.join(' ')}`);
    const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
    const install = (names) => run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], quiet);
    await run('apt-get', ['update', '-qq'], quiet);
    // One unknown package name fails the whole request.
    if ((await install(packages)) !== 0) for (const name of packages) await install([name]);
  }
  const modules = incomplete.flatMap((check) => check.pypi ?? []).filter(isNew);
  if (apt && modules.length > 0) {
    console.error(`installing ${modules.join(' ')} for /usr/bin/python3`);
    const pip = ['-m', 'pip', 'install', '--quiet', '--break-system-packages', '--root-user-action=ignore'];
    await run('/usr/bin/python3', [...pip, ...modules]);
  }
  writeFileSync(requestedPath, [...new Set([...requested, ...packages, ...modules])].join('\n'));
  const missing = (await systemChecks()).filter((check) => !check.ok);
  if (missing.length > 0)
    throw new SetupError(missing.map((check) => `${check.name}: ${check.finding}. ${check.fix}`).join('\n'));
}

/**
 * Unpacks nats-server for the tests of the fleet from Debian's package. Installing the package would start a service.
 * Without it, those tests are skipped by name.
 */
export async function unpackNats() {
  const folder = `${root}node_modules/.gyre-nats`;
  if (existsSync(folder) || existsSync('/usr/bin/nats-server') || existsSync('/usr/sbin/nats-server')) return;
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return;
  console.error('unpacking nats-server');
  mkdirSync(folder);
  const script = 'apt-get download -qq nats-server && dpkg-deb --extract nats-server_*.deb . && rm nats-server_*.deb';
  await run('/bin/sh', ['-c', `cd node_modules/.gyre-nats && ${script}`]);
}

/** Runs all setup steps. Throws SetupError. */
export async function setUp() {
  await installPackages();
  await build();
  await installSystemPackages();
}
