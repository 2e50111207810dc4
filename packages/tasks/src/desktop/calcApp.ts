import { existsSync, readFileSync } from 'node:fs';
import type { AgentAction } from '@gyre/protocol';
import type { SandboxSession } from '@gyre/sandbox';
import type { Evidence } from '../family/machine/evidence.js';
import type { FileContent, Launch } from '../family/machine/setUp.js';
import { calc } from '../family/machine/requirement.js';
import type { Drawn, ScriptedTurn, Template } from '../family/machine/template.js';
import { hotkey, turn, wait } from '../family/machine/turns.js';
import { readSheets, type Sheet, type Value, writeSheets } from './spreadsheet.js';

/** LibreOffice Calc as tasks find it: with a file open, and nothing that greets or asks. */

/** What all templates of Calc share. */
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
  // Pictures of documents, which nobody is shown, are half of the work of saving one.
  ['/org.openoffice.Office.Common/Save/Document', 'GenerateThumbnail', 'false'],
  ['/org.openoffice.Office.Common/History', 'RecentDocsThumbnail', 'false'],
  // Words of tables are not in the dictionary, which would be read first.
  ['/org.openoffice.Office.Linguistic/SpellChecking', 'IsSpellAuto', 'false'],
];

/** Hides the sidebar, as its menu does: there is more room for cells, and a tenth less work in starting. */
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
 * Says in a profile that this build of LibreOffice has looked for extensions. One that finds none of it, or of another build, looks for them
 * and starts again, which is a fifth of the work of starting.
 */
function extensionsSeen(): Record<string, FileContent> {
  const version = existsSync(`${programFolder}/versionrc`) ? readFileSync(`${programFolder}/versionrc`, 'utf8') : '';
  const build = /^buildid=(.+)$/m.exec(version)?.[1];
  return build === undefined ? {} : { '.config/libreoffice/4/user/extensions/buildid': build };
}

/**
 * LibreOffice draws its windows itself, with GTK there or not, so that all is where scripted solutions look for it on every machine. By
 * GTK an episode is nearly twice the work.
 */
const ownWindows = 'SAL_USE_VCLPLUGIN=gen';

/** The files and the program of a task whose file has these sheets. */
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

/** The sheets of a file as it was saved last; undefined where it is no file of Calc's. */
export async function savedSheets(evidence: Evidence, file: string): Promise<Sheet[] | undefined> {
  const bytes = await evidence.bytes(file);
  return bytes && readSheets(bytes);
}

/** Calc's window has the keys, and no dialog. */
export const calcReady =
  (file: string) =>
  async ({ desktop }: SandboxSession) =>
    ((await desktop?.windows()) ?? []).some(({ title, focused }) => focused && title.startsWith(file));

/**
 * Goes to a cell of the columns A to Z, such as `B7`, by the arrow keys: shortly after its start Calc takes the keys away from
 * the box with the cell's name. Calc does what arrow keys say when it has nothing else to do, but takes letters at once: on a busy
 * machine it would write before it has gone, so it gets time to.
 */
export function goTo(place: string): AgentAction[] {
  const [column, row] = [place.charCodeAt(0) - 'A'.charCodeAt(0), Number(place.slice(1)) - 1];
  const times = (count: number, key: string) => Array.from({ length: count }, () => hotkey(key));
  return [hotkey('ctrl home'), ...times(column, 'arrowright'), ...times(row, 'arrowdown'), wait(0.3)];
}

/** Saves the file. On a busy machine a shortcut that comes too soon after other keys gets lost. */
export function save(): ScriptedTurn[] {
  return [
    {
      thought: 'The cells are as they should be; now save the file.',
      actions: [wait(0.3), hotkey('ctrl s'), wait(0.3)],
    },
    { thought: 'Saving takes a moment.', actions: [wait(1)] },
  ];
}

const mostSteps = 8;

/**
 * A script, which is done again from the start where it did not help: for a moment after its start a busy Calc loses clicks and
 * shortcuts, such as those for sorting, though it takes keys for cells by then.
 *
 * @param script has no more than `mostSteps` steps that Calc can take back.
 */
export function repeatable(script: readonly ScriptedTurn[]): Pick<Drawn, 'script' | 'again'> {
  const undo = Array.from({ length: mostSteps }, () => hotkey('ctrl z'));
  return { script, again: [turn('That is not right: take it back.', ...undo, wait(0.3)), ...script] };
}
