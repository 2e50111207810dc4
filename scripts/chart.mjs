// `npm run test:chart -- [--nats CHART]`: renders the Helm chart with many values, validates the manifests against the schemas of several
// versions of Kubernetes, of KEDA and of the Prometheus operator, and lints the Dockerfile. Needs Go, Python and, the first time, their
// registries. --nats names a folder with the chart of NATS; without it, a chart without templates stands in its place. No part of `npm test`.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { accepted, everything, refused } from './chart/cases.mjs';
import { kubernetesVersions, output, setUp } from './chart/tools.mjs';
import { root, SetupError } from './setup.mjs';

const { values } = parseArgs({ options: { nats: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'gyre-chart-'));
const chart = join(folder, 'gyre');
let failed = 0;
let passed = 0;

async function check(title, test) {
  try {
    await test();
    passed++;
    console.log(`passed  ${title}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${title}: ${error.message}`);
  }
}

function layOut() {
  cpSync(join(root, 'deploy/helm/gyre'), chart, { recursive: true });
  const nats = join(chart, 'charts/nats');
  if (values.nats) return cpSync(values.nats, nats, { recursive: true });
  mkdirSync(nats, { recursive: true });
  writeFileSync(join(nats, 'Chart.yaml'), 'apiVersion: v2\nname: nats\nversion: 2.0.0\n');
}

try {
  const { helm, kubeconform, hadolint, schemas } = await setUp();
  layOut();
  const file = join(folder, 'values.json');
  const render = (settings, version = kubernetesVersions.at(-1)) => {
    writeFileSync(file, JSON.stringify(settings));
    return output(helm, [
      'template',
      'test',
      chart,
      '--namespace',
      'apart',
      '--kube-version',
      version,
      '--values',
      file,
    ]);
  };
  const validate = (text, version = kubernetesVersions.at(-1)) => {
    const rendered = join(folder, 'rendered.yaml');
    writeFileSync(rendered, text);
    const locations = schemas.flatMap((schema) => ['-schema-location', schema]);
    return output(kubeconform, ['-strict', '-kubernetes-version', version, ...locations, rendered]);
  };
  for (const [title, settings, expected] of accepted) {
    for (const version of kubernetesVersions) {
      await check(`${title} (Kubernetes ${version})`, async () => {
        const text = await render(settings, version);
        await validate(text, version);
        const documents = parseAllDocuments(text)
          .map((document) => document.toJS())
          .filter(Boolean);
        expected?.((kind, name) => {
          const manifest = documents.find((each) => each.kind === kind && each.metadata.name === `test-gyre-${name}`);
          return manifest;
        });
      });
    }
  }
  // A check that cannot fail is none.
  for (const [title, field, broken] of [
    ['a misspelt field of a node', 'hostUsers:', 'hostUser:'],
    ['a misspelt field of a ScaledObject', 'pollingInterval:', 'pollingIntervals:'],
    ['a misspelt field of a ServiceMonitor', 'endpoints:', 'endpoint:'],
    ['a wrong type', 'replicas: 2', 'replicas: two'],
  ]) {
    await check(`the schemas refuse ${title}`, async () => {
      const text = await render(everything);
      if (!text.includes(field)) throw new Error(`nothing has ${field}`);
      const reason = await validate(text.replaceAll(field, broken)).then(
        () => 'it is valid',
        (error) => error.message,
      );
      if (!/is invalid/.test(reason)) throw new Error(reason);
    });
  }
  for (const [title, settings, message] of refused) {
    await check(`refuses ${title}`, async () => {
      const reason = await render(settings).then(
        () => 'it was rendered',
        (error) => error.message,
      );
      if (!reason.includes(message)) throw new Error(reason);
    });
  }
  await check('helm lint', async () => {
    writeFileSync(file, JSON.stringify(accepted[0][1]));
    await output(helm, ['lint', '--strict', '--kube-version', kubernetesVersions.at(-1), '--values', file, chart]);
  });
  await check('hadolint', () => output(hadolint, [join(root, 'deploy/Dockerfile')]));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`error: ${error.message}`);
  failed++;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);
