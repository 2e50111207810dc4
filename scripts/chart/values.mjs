import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMap, parseDocument } from 'yaml';

export const chart = fileURLToPath(new URL('../../deploy/helm/gyre', import.meta.url));

/** Files that `--write` writes from values.yaml. */
export const written = {
  page: fileURLToPath(new URL('../../docs/reference/chart.md', import.meta.url)),
  schema: `${chart}/values.schema.json`,
};

/**
 * Returns the chart's values, as `{ path, value, text }`: each key with a comment, and its comment.
 *
 * @throws Error for a value without a comment
 */
export function readValues(text = readFileSync(`${chart}/values.yaml`, 'utf8')) {
  const values = [];
  const walk = (map, path) => {
    for (const [index, { key, value }] of map.items.entries()) {
      const inner = [...path, key.value];
      // The comment of a map's first key belongs to the map.
      const comment = key.commentBefore ?? (index === 0 && path.length > 0 ? map.commentBefore : undefined);
      const isSection = isMap(value) && value.items.length > 0 && comment === undefined;
      if (isSection) walk(value, inner);
      else if (comment === undefined) throw new Error(`${inner.join('.')}: write a comment above it in values.yaml`);
      else values.push({ path: inner, value: value.toJSON(), text: comment.trim().replaceAll(/\s*\n\s*/g, ' ') });
    }
  };
  walk(parseDocument(text).contents, []);
  return values;
}

/** Returns the names that a comment such as `spread|pack: ...` begins with. */
const choices = (text) => /^\w+(?:\|\w+)+(?=$|:| )/.exec(text)?.[0].split('|');

function typeOf({ value, text }) {
  const names = choices(text);
  if (names) return { enum: names };
  // `null` stands for an unset number.
  if (value === null) return { type: ['integer', 'null'], minimum: 1 };
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value === 'object') return { type: 'object' };
  if (typeof value !== 'number') return { type: typeof value };
  return text.includes('or a share') ? { type: ['integer', 'string'] } : { type: 'integer', minimum: 0 };
}

/** Returns values.schema.json, by which Helm refuses unknown names and wrong types. */
export function schemaOf(values) {
  const root = { type: 'object', additionalProperties: false, properties: { global: { type: 'object' } } };
  for (const each of values) {
    let section = root;
    for (const name of each.path.slice(0, -1)) {
      // Values of NATS go to its own chart.
      const isOpen = section !== root && section.additionalProperties !== false;
      const empty = {
        type: 'object',
        ...(name !== 'nats' && !isOpen && { additionalProperties: false }),
        properties: {},
      };
      section = section.properties[name] ??= empty;
    }
    section.properties[each.path.at(-1)] = typeOf(each);
  }
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...root }, null, 2)}\n`;
}

/** Returns docs/reference/chart.md. */
export function pageOf(values) {
  const cell = (text) => text.replaceAll('|', '\\|');
  const rows = values.map(({ path, value, text }) => {
    const fallback = JSON.stringify(value);
    return `| \`${path.join('.')}\` | \`${cell(fallback)}\` | ${cell(text)} |`;
  });
  return `# The Helm chart's values

[How to run a fleet on Kubernetes](../how-to/kubernetes.md). This page is written from \`deploy/helm/gyre/values.yaml\` by
\`npm run test:chart -- --write\`. Helm refuses unknown names and wrong types. Other values of \`nats\` go to
[its chart](https://github.com/nats-io/k8s/tree/main/helm/charts/nats).

| value | default | meaning |
| --- | --- | --- |
${rows.join('\n')}
`;
}

/** Returns the flags that templates pass to commands of gyre, by command, such as `serve fleet`. */
export function passedFlags() {
  const folder = `${chart}/templates`;
  const flags = new Map();
  for (const file of readdirSync(folder)) {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    for (const [block] of text.matchAll(/^ +args:\n(?: +(?:- .*|\{\{.*)\n)+/gm)) {
      const words = [...block.matchAll(/^ +- ([^\s{'-]\S*)$/gm)].map(([, word]) => word);
      flags.set(
        words.join(' '),
        [...block.matchAll(/^ +- '?(--[a-z-]+)/gm)].map(([, flag]) => flag),
      );
    }
  }
  return flags;
}
