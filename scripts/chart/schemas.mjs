import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Kinds of the API that the chart and NATS's chart make, as the files of their schemas. */
const kinds = [
  ...['configmap-v1', 'pod-v1', 'secret-v1', 'service-v1', 'serviceaccount-v1', 'deployment-apps-v1'],
  ...['statefulset-apps-v1', 'daemonset-apps-v1', 'poddisruptionbudget-policy-v1', 'networkpolicy-networking-v1'],
  'horizontalpodautoscaler-autoscaling-v2',
];

const definition = /^.*#\/\$defs\//;

/** Makes each schema a file of its own: kubeconform does not compile the references of kubernetes-validate. */
export function writeApiSchemas(from, version, folder) {
  const source = join(from, `v${version}-local-strict`);
  const target = join(folder, `v${version}-strict`);
  mkdirSync(target, { recursive: true });
  const read = (name) => JSON.parse(readFileSync(join(source, `${name}.json`), 'utf8'));
  const { $defs } = read('_definitions');
  for (const kind of kinds) {
    const used = {};
    const inline = (node) => {
      if (Array.isArray(node)) return node.map(inline);
      if (typeof node !== 'object' || node === null) return node;
      if (typeof node.$ref !== 'string') {
        return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inline(value)]));
      }
      const name = node.$ref.replace(definition, '');
      if (!(name in used)) {
        used[name] = {};
        used[name] = inline($defs[name]);
      }
      return { $ref: `#/definitions/${name}` };
    };
    // The named meta-schema is not among those of the compiler.
    const { $schema: _, ...schema } = inline(read(kind));
    writeFileSync(join(target, `${kind}.json`), JSON.stringify({ ...schema, definitions: used }));
  }
}

/** Writes the schema of a custom resource from the definition that its project installs. */
export function writeCustomSchema(file, version, folder) {
  const { spec } = parse(readFileSync(file, 'utf8'));
  const { schema } = spec.versions.find(({ name }) => name === version);
  const target = join(folder, 'custom');
  mkdirSync(target, { recursive: true });
  const name = `${spec.names.kind.toLowerCase()}-${spec.group.split('.')[0]}-${version}.json`;
  const { properties, ...rest } = schema.openAPIV3Schema;
  // The API server adds these.
  const whole = { ...rest, properties: { ...properties, metadata: { type: 'object' } } };
  writeFileSync(join(target, name), JSON.stringify(strict(whole)));
}

/** The API server drops unknown fields, or refuses them. */
function strict(node) {
  if (Array.isArray(node)) return node.map(strict);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, strict(value)]));
  const isClosed = copy.type === 'object' && copy.properties && !('additionalProperties' in copy);
  if (isClosed && !copy['x-kubernetes-preserve-unknown-fields'] && Object.keys(copy.properties).length > 1)
    copy.additionalProperties = false;
  return copy;
}
