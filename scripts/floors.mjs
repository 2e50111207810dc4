import { dirname, resolve, sep } from 'node:path';

/**
 * The floors of the packages, lowest first: a package imports only packages of floors below its own. This table is the
 * single source; the lint rule and the docs follow it.
 */
export const floors = [
  ['protocol'],
  ['sandbox', 'engine', 'lake'],
  ['agent', 'tasks', 'reader', 'fleet'],
  ['training', 'benchmarks'],
  ['openenv', 'studio'],
  ['cli'],
];

const floorOf = new Map(floors.flatMap((names, index) => names.map((name) => [name, index + 1])));

/** `@gyre/engine/dist/x.js` → `{ name: 'engine', inside: 'dist/x.js' }`; undefined for other packages. */
function housePackage(specifier) {
  const match = /^(?:@gyre\/([^/]+)|(gyre))(?:\/(.+))?$/.exec(specifier);
  return match ? { name: match[1] ?? 'cli', inside: match[3] } : undefined;
}

/** ESLint rule: imports go down the floors, through a package's index, and relative paths stay in their package. */
export const floorsRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      upward:
        '{{from}} (floor {{fromFloor}}) may not import {{to}} (floor {{toFloor}}): a package imports only packages on floors below its own.',
      unknown: '{{to}} has no floor: add it to scripts/floors.mjs.',
      inside: 'import {{to}} through its index, not through {{inside}}.',
      outside: 'this path leaves the package {{from}}: import the other package by name.',
    },
  },
  create(context) {
    const parts = context.filename.split(sep);
    const index = parts.lastIndexOf('packages');
    const from = index < 0 ? undefined : parts[index + 1];
    if (from === undefined) return {};
    const root = parts.slice(0, index + 2).join(sep);

    function check(node) {
      const source = node.source;
      const specifier = source?.type === 'Literal' ? source.value : undefined;
      if (typeof specifier !== 'string') return;
      const report = (messageId, data) => context.report({ node: source, messageId, data: { from, ...data } });
      if (specifier.startsWith('.')) {
        const target = resolve(dirname(context.filename), specifier);
        if (!target.startsWith(root + sep)) report('outside');
        return;
      }
      const target = housePackage(specifier);
      if (target === undefined) return;
      const to = target.name;
      // An example imports its package as a user would.
      if (to === from && target.inside === undefined && parts[index + 2] === 'examples') return;
      const toFloor = floorOf.get(to);
      const fromFloor = floorOf.get(from);
      if (toFloor === undefined) return report('unknown', { to });
      if (fromFloor === undefined) return report('unknown', { to: from });
      if (toFloor >= fromFloor) return report('upward', { to, toFloor, fromFloor });
      if (target.inside !== undefined) report('inside', { to, inside: target.inside });
    }

    return {
      ImportDeclaration: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};
