import { existsSync } from 'node:fs';
import { findBrowser, type MachineKind, missingForDesktop, type Requirement } from '@gyre/sandbox';

const folders = ['/usr/bin', '/usr/local/bin', '/bin'];

const has = (name: string) => folders.some((folder) => existsSync(`${folder}/${name}`));

/** Files that mark optional LibreOffice libraries. */
const ownFile: Readonly<Record<string, string>> = {
  'libreoffice-calc': '/usr/lib/libreoffice/program/libsclo.so',
};

/** Lists required Debian packages missing on this host. */
export function notInstalled(kind: MachineKind, needs: readonly Requirement[]): string[] {
  const missing = needs.filter(({ name, debian }) => {
    const file = ownFile[debian];
    return !has(name) || (file !== undefined && !existsSync(file));
  });
  const base = kind === 'desktop' ? missingForDesktop() : missingBrowser();
  return [...new Set([...base, ...missing].map(({ debian }) => debian))];
}

function missingBrowser(): Requirement[] {
  try {
    findBrowser();
    return [];
  } catch {
    return [{ name: 'chromium-headless-shell', debian: 'chromium-headless-shell' }];
  }
}

export const calc: Requirement = { name: 'soffice', debian: 'libreoffice-calc' };
export const mousepad: Requirement = { name: 'mousepad', debian: 'mousepad' };
export const xterm: Requirement = { name: 'xterm', debian: 'xterm' };
export const pcmanfm: Requirement = { name: 'pcmanfm', debian: 'pcmanfm' };
export const node: Requirement = { name: 'node', debian: 'nodejs' };
