import { existsSync, readFileSync } from 'node:fs';
import type { AgentAction } from '@gyre/protocol';
import type { SandboxSession } from '@gyre/sandbox';
import type { Evidence } from '../family/machine/evidence.js';
import type { FileContent, Launch } from '../family/machine/setUp.js';
import { calc } from '../family/machine/requirement.js';
import type { Drawn, ScriptedTurn, Template } from '../family/machine/template.js';
import { hotkey, turn, wait } from '../family/machine/turns.js';
import { readSheets, type Sheet, type Value, writeSheets } from './spreadsheet.js';

/** LibreOffice Calc without welcome dialogs. */

export const calcTemplate = {
  kind: 'desktop',
  surfaces: ['screen'],
  screen: { width: 1024, height: 640 },
  needs: [calc],
} as const satisfies Partial<Template>;

const settings: readonly (readonly [path: string, name: string, value: string])[] = [
  ['/org.openoffice.Office.Common/Misc', 'ShowTipOfTheDay', 'false'],
  ['/org.openoffice.Office.Common/Misc', 'FirstRun', 'false'],
  ['/org.openoffice.Setup/Product', 'ooSetupLastVersion', '99.9'],
  ['/org.openoffice.Office.Common/Save/Document', 'WarnAlienFormat', 'false'],
  ['/org.openoffice.Office.Common/Save/Document', 'CreateBackup', 'false'],
  ['/org.openoffice.Office.Recovery/RecoveryInfo', 'Enabled', 'false'],
  // Thumbnails take half the time of saving.
  ['/org.openoffice.Office.Common/Save/Document', 'GenerateThumbnail', 'false'],
  ['/org.openoffice.Office.Common/History', 'RecentDocsThumbnail', 'false'],
  ['/org.openoffice.Office.Linguistic/SpellChecking', 'IsSpellAuto', 'false'],
];

/** Leaves more room and starts faster. */
const noSidebar =
  '<item oor:path="/org.openoffice.Office.Views/Windows"><node oor:name="scalc/10336" oor:op="replace"><node oor:name="UserData">' +
  '<prop oor:name="Data" oor:op="fuse" oor:type="xs:string"><value>V2,H,0</value></prop></node></node></item>';

const profile = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">${settings
  .map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  )
  .join('')}${noSidebar}</oor:items>`;

const programFolder = '/usr/lib/libreoffice/program';

/**
 * Marks the profile as scanned for extensions by this build of LibreOffice; without that mark, it scans and restarts.
 */
function extensionsSeen(): Record<string, FileContent> {
  const version = existsSync(`${programFolder}/versionrc`) ? readFileSync(`${programFolder}/versionrc`, 'utf8') : '';
  const build = /^buildid=(.+)$/m.exec(version)?.[1];
  return build === undefined ? {} : { '.config/libreoffice/4/user/extensions/buildid': build };
}

/** LibreOffice's own widgets look the same with and without GTK, as scripted solutions require, and are faster. */
const ownWindows = 'SAL_USE_VCLPLUGIN=gen';

export function openInCalc(
  file: string,
  sheets: readonly { readonly name: string; readonly rows: readonly (readonly Value[])[] }[],
): { files: Record<string, FileContent>; programs: Launch[] } {
  return {
    files: {
      '.config/libreoffice/4/user/registrymodifications.xcu': profile,
      ...extensionsSeen(),
      [file]: { base64: Buffer.from(writeSheets(sheets)).toString('base64') },
    },
    programs: [
      {
        program: 'env',
        args: [ownWindows, 'soffice', '--norestore', '--nologo', '--calc', file],
        window: file.split('/').at(-1) ?? file,
      },
    ],
  };
}

/** Reads the sheets of a file as last saved; undefined if Calc did not write it. */
export async function savedSheets(evidence: Evidence, file: string): Promise<Sheet[] | undefined> {
  const bytes = await evidence.bytes(file);
  return bytes && readSheets(bytes);
}

/** Calc's window has the focus and no dialog is open. */
export const calcReady =
  (file: string) =>
  async ({ desktop }: SandboxSession) =>
    ((await desktop?.windows()) ?? []).some(({ title, focused }) => focused && title.startsWith(file));

/**
 * Moves to a cell (columns A to Z, such as `B7`) by arrow keys: shortly after its start, Calc takes the focus away from
 * the name box. Calc handles arrow keys when idle but letters at once, so the waits keep a busy machine from typing
 * into the wrong cell.
 */
export function goToCell(place: string): AgentAction[] {
  const [column, row] = [place.charCodeAt(0) - 'A'.charCodeAt(0), Number(place.slice(1)) - 1];
  const times = (count: number, key: string) => Array.from({ length: count }, () => hotkey(key));
  return [hotkey('ctrl home'), ...times(column, 'arrowright'), ...times(row, 'arrowdown'), wait(0.3)];
}

/** Waits first: a busy machine loses shortcuts that follow other keys too soon. */
export function save(): ScriptedTurn[] {
  return [
    {
      thought: 'The cells are as they should be; now save the file.',
      actions: [wait(0.3), hotkey('ctrl s'), wait(0.3)],
    },
    { thought: 'Saving takes a moment.', actions: [wait(1)] },
  ];
}

const maxSteps = 8;

/**
 * Repeats a script that had no effect: just after its start, a busy Calc loses clicks and shortcuts.
 * @param script has at most `maxSteps` steps that Calc can undo.
 */
export function withRetry(script: readonly ScriptedTurn[]): Pick<Drawn, 'script' | 'again'> {
  const undo = Array.from({ length: maxSteps }, () => hotkey('ctrl z'));
  return { script, again: [turn('That is not right: take it back.', ...undo, wait(0.3)), ...script] };
}
