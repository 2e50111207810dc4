import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programText } from '../../shell/programText.js';

const pyautogui = programText(new URL('./printingPyautogui.py', import.meta.url));

const pyperclip = `
def copy(text): print('copy', text)
`;

/** Includes the program that pyperclip needs. */
export async function pythonModules(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-python-double-'));
  await writeFile(join(folder, 'pyautogui.py'), pyautogui);
  await writeFile(join(folder, 'pyperclip.py'), pyperclip);
  await writeFile(join(folder, 'xclip'), '#!/bin/sh\n', { mode: 0o755 });
  return { folder, remove: () => rm(folder, { recursive: true }) };
}
