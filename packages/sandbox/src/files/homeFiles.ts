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
    throw new GyreError('bad_input', `${entries.length} files with ${characters} characters are too much for a lease`, {
      field: 'files',
      fix: `give up to ${maxHomeFiles} with ${maxHomeText}, and upload the others once the session is there`,
    });
  }
  for (const [path, file] of entries) {
    const names = path.replace(/\/$/, '').split('/');
    if (names.some((name) => name === '' || name === '.' || name === '..')) {
      throw new GyreError('bad_input', `${JSON.stringify(path)} is no path in the home`, {
        field: 'files',
        fix: 'give paths from the home on, such as .config/vlc/vlcrc',
      });
    }
    if (path.endsWith('/') && partsOf(file).text !== '') {
      throw new GyreError('bad_input', `${JSON.stringify(path)} is a folder and has a text`, {
        field: 'files',
        fix: 'leave the / at the end out, or give an empty text',
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
