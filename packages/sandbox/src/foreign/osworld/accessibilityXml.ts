import type { Size } from '@gyre/protocol';
import type { CompatNode } from '../served/machine.js';

const namespaces = {
  st: 'https://accessibility.ubuntu.example.org/ns/state',
  cp: 'https://accessibility.ubuntu.example.org/ns/component',
};

/** Writes OSWorld's format: roles as elements, states as attributes, boxes in px. */
export function accessibilityXml(
  programs: readonly { readonly program: string; readonly tree: CompatNode | undefined }[],
  size: Size,
): string {
  const declared = Object.entries(namespaces).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`);
  const children = programs.map(({ program, tree }) => {
    if (tree?.role === 'application') return elementOf(tree, size);
    const inside = tree === undefined ? '' : elementOf(tree, size);
    return `<application name="${escaped(program)}">${inside}</application>`;
  });
  return `<desktop-frame${declared.join('')} name="main">${children.join('')}</desktop-frame>`;
}

function elementOf(node: CompatNode, size: Size): string {
  const name = elementName(node.role);
  const states = node.states.map((state) => ` st:${elementName(state)}="true"`);
  const place = node.box === undefined ? '' : placeOf(node.box, size);
  const children = node.children.map((child) => elementOf(child, size));
  return `<${name} name="${escaped(node.name)}"${states.join('')}${place}>${escaped(node.text ?? '')}${children.join('')}</${name}>`;
}

function placeOf(box: NonNullable<CompatNode['box']>, { width, height }: Size): string {
  const [x, y] = [Math.round(box.x * width), Math.round(box.y * height)];
  const [across, down] = [Math.round(box.width * width), Math.round(box.height * height)];
  return ` cp:screencoord="(${x}, ${y})" cp:size="(${across}, ${down})"`;
}

function elementName(role: string): string {
  const name = role
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-');
  return /^[a-z_]/.test(name) ? name : `unknown${name === '' ? '' : `-${name}`}`;
}

/** Drops characters that XML excludes (XML 1.0, 2.2). */
function escaped(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex
      .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]/gu, '')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
      .replace(/[\n\r\t]/g, (blank) => `&#${blank.charCodeAt(0)};`)
  );
}
