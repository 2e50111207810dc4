import { GyreError } from '@gyre/protocol';
import type { Files } from './files.js';

export type HomeFile = string | { readonly text: string; readonly executable: boolean };

/** By path from the home. A trailing / denotes a folder, with an empty text. */
export type HomeFiles = Readonly<Record<string, HomeFile>>;

const maxHomeFiles = 1_000;
const maxHomeText = 2 ** 24;

const partsOf = (file: HomeFile) => (typeof file === 'string' ? { text: file, executable: false } : file);

export function checkHomeFiles(files: HomeFiles): void {
  const entries = Object.entries(files);
  const characters = entries.reduce((sum, [, file]) => sum + partsOf(file).text.length, 0);
  if (entries.length > maxHomeFiles || characters > maxHomeText) {
    throw new GyreError('bad_input', `a lease cannot include ${entries.length} files with ${characters} characters`, {
      field: 'files',
      fix: `include at most ${maxHomeFiles} files with ${maxHomeText} characters, and upload the others to the session`,
    });
  }
  for (const [path, file] of entries) {
    const names = path.replace(/\/$/, '').split('/');
    if (names.some((name) => name === '' || name === '.' || name === '..')) {
      throw new GyreError('bad_input', `${JSON.stringify(path)} is not a path in the home`, {
        field: 'files',
        fix: 'use a path relative to the home, such as .config/vlc/vlcrc',
      });
    }
    if (path.endsWith('/') && partsOf(file).text !== '') {
      throw new GyreError('bad_input', `${JSON.stringify(path)} is a folder, but has a text`, {
        field: 'files',
        fix: 'remove the trailing /, or use an empty text',
      });
    }
  }
}

export async function writeHomeFiles(home: Files, files: HomeFiles): Promise<void> {
  for (const [path, file] of Object.entries(files)) {
    const { text, executable } = partsOf(file);
    if (path.endsWith('/')) await home.createFolder(path.slice(0, -1));
    else await home.write(path, text, { folders: true, permissions: executable ? 0o755 : undefined });
  }
}
