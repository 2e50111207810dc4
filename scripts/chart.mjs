// `npm run test:chart -- [--write] [--cheap] [--nats FOLDER]`: renders the Helm chart with many values, validates it by the schemas of
// Kubernetes, KEDA and prometheus-operator, and lints the Dockerfile. Needs Go and Python 3 (it installs helm, kubeconform, hadolint and
// the schemas, 2 minutes), and no cluster. --cheap checks only what needs neither, as `npm test` does; --write writes the generated files.
// --nats names an unpacked chart of NATS (helm pull nats --untar); without it, NATS is left out of what is rendered.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import { parse, stringify } from 'yaml';
import { cases, misspellings, refused, versions } from './chart/cases.mjs';
import { writeApiSchemas, writeCustomSchema } from './chart/schemas.mjs';
import { installTools, workFolder } from './chart/tools.mjs';
import { chart, pageOf, passedFlags, readValues, schemaOf, written } from './chart/values.mjs';

const { values: options } = parseArgs({
  options: { write: { type: 'boolean' }, cheap: { type: 'boolean' }, nats: { type: 'string' } },
});
const root = new URL('..', import.meta.url).pathname;
const tally = { passed: 0, failed: 0 };

function check(name, problem) {
  if (problem) console.log(`FAIL ${name}: ${problem}`);
  else console.log(`ok   ${name}`);
  tally[problem ? 'failed' : 'passed']++;
}

async function checkGenerated() {
  const settings = { ...JSON.parse(readFileSync(`${root}.prettierrc.json`, 'utf8')) };
  const values = readValues();
  for (const [name, text] of Object.entries({ page: pageOf(values), schema: schemaOf(values) })) {
    const formatted = await format(text, { ...settings, filepath: written[name] });
    if (options.write) writeFileSync(written[name], formatted);
    const isCurrent = readFileSync(written[name], 'utf8') === formatted;
    check(`${written[name].slice(root.length)} follows values.yaml`, !isCurrent && 'run npm run test:chart -- --write');
  }
}

function checkFlags() {
  for (const [command, flags] of passedFlags()) {
    const help = spawnSync(process.execPath, [`${root}packages/cli/bin/gyre.mjs`, ...command.split(' '), '--help'], {
      encoding: 'utf8',
    });
    // `gyre worker` may be missing: the chart leaves it disabled.
    if (command === 'worker' && !help.stdout.startsWith('Usage: gyre worker')) continue;
    const known = new Set(help.stdout.match(/--[a-z-]+/g));
    const unknown = flags.filter((flag) => !known.has(flag));
    check(`gyre ${command} has the flags of the chart`, unknown.length > 0 && `unknown: ${unknown.join(', ')}`);
  }
}

/** Copies the chart, with NATS's or without its dependency: Helm renders nothing while one is missing. */
function copyChart(folder) {
  const copy = join(folder, 'gyre');
  cpSync(chart, copy, { recursive: true });
  if (options.nats) cpSync(options.nats, join(copy, 'charts', 'nats'), { recursive: true });
  else {
    const { dependencies: _, ...rest } = parse(readFileSync(`${copy}/Chart.yaml`, 'utf8'));
    writeFileSync(`${copy}/Chart.yaml`, stringify(rest));
  }
  return copy;
}

function checkChart(folder) {
  const { helm, kubeconform, hadolint, apiSchemas, definitions } = installTools(workFolder());
  const schemas = join(folder, 'schemas');
  for (const version of versions) writeApiSchemas(apiSchemas, version, schemas);
  for (const [file, version] of definitions) writeCustomSchema(file, version, schemas);
  const copy = copyChart(folder);
  const nats = options.nats ? [] : ['--set', 'nats.enabled=false'];
  const render = (sets, version) => {
    const flags = sets.flatMap((set) => ['--set', set]);
    return spawnSync(
      helm,
      ['template', 'test', copy, '--namespace=gyre', `--kube-version=${version}`, ...nats, ...flags],
      {
        encoding: 'utf8',
      },
    );
  };
  const argumentsFor = (version) => {
    const files = ['{{.NormalizedKubernetesVersion}}{{.StrictSuffix}}', 'custom'];
    const locations = files.map((path) => `-schema-location=${schemas}/${path}/{{.ResourceKind}}{{.KindSuffix}}.json`);
    return ['-strict', '-summary', `-kubernetes-version=${version}`, ...locations, '-'];
  };
  const lint = spawnSync(helm, ['lint', '--strict', `--kube-version=${versions[0]}`, copy, ...nats], {
    encoding: 'utf8',
  });
  check('helm lint', lint.status !== 0 && lint.stdout);
  for (const version of versions) {
    for (const [name, sets] of Object.entries(cases)) {
      const { status, stdout, stderr } = render(sets, version);
      const args = argumentsFor(version);
      const verdict = status === 0 && spawnSync(kubeconform, args, { input: stdout, encoding: 'utf8' });
      check(`${version}, ${name}`, status !== 0 ? stderr : verdict.status !== 0 && verdict.stdout + verdict.stderr);
    }
  }
  // A check that cannot fail is none.
  for (const [field, misspelt] of Object.entries(misspellings)) {
    const text = render(cases['all parts'], versions[1]).stdout;
    const input = text.replaceAll(`${field}:`, `${misspelt}:`);
    const { stdout } = spawnSync(kubeconform, argumentsFor(versions[1]), { input, encoding: 'utf8' });
    check(`the schemas refuse ${misspelt}`, (input === text || !stdout.includes('is invalid')) && stdout);
  }
  for (const [set, message] of Object.entries(refused)) {
    const { status, stderr } = render([set, ...(set === 'natsUrl=' ? ['nats.enabled=false'] : [])], versions[1]);
    check(`refuses ${set}`, (status === 0 || !stderr.includes(message)) && `helm said: ${stderr || 'nothing'}`);
  }
  const dockerfile = spawnSync(hadolint, [`${root}deploy/Dockerfile`], { encoding: 'utf8' });
  check('hadolint', dockerfile.status !== 0 && dockerfile.stdout + dockerfile.stderr);
  console.log(
    `helm ${execFileSync(helm, ['version', '--short'], { encoding: 'utf8' }).trim()}, ${options.nats ? 'with' : 'without'} NATS`,
  );
}

await checkGenerated();
checkFlags();
if (!options.cheap) {
  const folder = mkdtempSync(join(tmpdir(), 'gyre-chart-'));
  try {
    checkChart(folder);
  } catch (error) {
    check('tools', error.message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exitCode = tally.failed > 0 ? 1 : 0;
