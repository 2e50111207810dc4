import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

export interface WholePage {
  readonly html: string;
  /** Pictures whose addresses its scripts assemble: `data:` URLs by address. */
  readonly pictures: Readonly<Record<string, string>>;
}

/**
 * Inlines a page's scripts, style sheets and pictures. Reads nothing outside `root`; missing files stay as references.
 */
export function wholePage(root: string, file: string): WholePage {
  const folder = dirname(file);
  const fileOf = (path: string, from = folder): string | undefined => {
    const target = resolve(from, path);
    const inside = !relative(root, target).split(sep).includes('..');
    return inside && statSync(target, { throwIfNoEntry: false })?.isFile() ? target : undefined;
  };
  const pictureOf = (path: string, from = folder): string | undefined => {
    const type = types[extname(path).toLowerCase()];
    const picture = type === undefined ? undefined : fileOf(path, from);
    return picture && `data:${type};base64,${readFileSync(picture, 'base64')}`;
  };
  const styleOf = (sheet: string): string =>
    readFileSync(sheet, 'utf8').replace(/url\(([^)]*)\)/g, (whole, written: string) => {
      const picture = pictureOf(unquoted(written), dirname(sheet));
      return picture === undefined ? whole : `url("${picture}")`;
    });

  const html = readFileSync(file, 'utf8')
    .replace(/<link\b[^>]*>/gi, (whole) => {
      const sheet = /stylesheet/i.test(whole) ? fileOf(attribute(whole, 'href')) : undefined;
      return sheet === undefined ? whole : `<style>${styleOf(sheet)}</style>`;
    })
    .replace(/<script\b[^>]*\bsrc\s*=[^>]*>\s*<\/script>/gi, (whole) => {
      const script = fileOf(attribute(whole, 'src'));
      // Escapes anything that would end the script element.
      return script === undefined
        ? whole
        : `<script>${readFileSync(script, 'utf8').replace(/<\/script/gi, '<\\/script')}</script>`;
    });
  const pictures: Record<string, string> = {};
  for (const [, path = ''] of html.matchAll(/["'](\.\.\/[\w./-]+\/)["']\s*\+/g)) {
    for (const name of names(resolve(folder, path), root)) {
      const picture = pictureOf(join(path, name));
      if (picture !== undefined) pictures[path + name] = picture;
    }
  }
  return { html: html.replace(/\.\.\/[\w./-]+\.\w+/g, (path) => pictureOf(path) ?? path), pictures };
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}\\s*=\\s*["']?([^"'\\s>]+)`, 'i').exec(tag)?.[1] ?? '';
}

/** Returns a style sheet's address without its quotes, which are sometimes percent-encoded. */
function unquoted(written: string): string {
  return decodeURIComponent(written.trim()).replace(/^["']|["']$/g, '');
}

function names(folder: string, root: string): string[] {
  const inside = !relative(root, folder).split(sep).includes('..');
  return inside && statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}
