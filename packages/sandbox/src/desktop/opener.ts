import { extname } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { Program } from './programs.js';

const office = ['libreoffice', 'soffice'];
const kinds: readonly { readonly endings: readonly string[]; readonly programs: readonly string[] }[] = [
  {
    endings: ['txt', 'md', 'log', 'csv', 'json', 'xml', 'yaml', 'yml', 'ini', 'conf', 'sh', 'py', 'js', 'ts', 'c', 'h'],
    programs: ['mousepad', 'gedit', 'leafpad', 'featherpad', 'kate'],
  },
  { endings: ['html', 'htm', 'svg', 'url'], programs: ['chromium', 'google-chrome', 'firefox', 'firefox-esr'] },
  { endings: ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'webp'], programs: ['ristretto', 'eog', 'gpicview', 'gimp'] },
  { endings: ['pdf'], programs: ['evince', 'atril', 'xpdf', 'mupdf', 'chromium'] },
  { endings: ['odt', 'doc', 'docx', 'rtf'], programs: office },
  { endings: ['ods', 'xls', 'xlsx'], programs: office },
  { endings: ['odp', 'ppt', 'pptx', 'odg'], programs: office },
  { endings: ['xcf', 'psd'], programs: ['gimp'] },
  { endings: ['mp3', 'ogg', 'wav', 'mp4', 'mkv', 'webm'], programs: ['mpv', 'vlc'] },
  { endings: ['zip', 'tar', 'gz', 'xz'], programs: ['xarchiver', 'file-roller', 'engrampa'] },
  { endings: [''], programs: ['thunar', 'pcmanfm', 'nautilus'] },
];

/**
 * Lists preferred programs first; file managers for a name without extension. Throws `bad_input` for unknown
 * extensions.
 */
export function programsFor(file: string): readonly string[] {
  const ending = extname(file).slice(1).toLowerCase();
  const kind = kinds.find(({ endings }) => endings.includes(ending));
  if (kind !== undefined) return kind.programs;
  throw new GyreError('bad_input', `no program is known to open .${ending} files`, {
    field: 'file',
    fix: 'launch a program with the file as its argument',
  });
}

export async function openWith(
  programs: readonly string[],
  file: string,
  launch: (program: string, args: readonly string[]) => Promise<Program>,
): Promise<Program> {
  for (const program of programs) {
    try {
      return await launch(program, [file]);
    } catch (error) {
      if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
    }
  }
  throw new GyreError('missing', `no program that opens ${file} is installed`, {
    field: 'file',
    fix: `install one of ${programs.join(', ')}`,
  });
}
