import type { HomeFiles } from '../../files/homeFiles.js';
import type { MachineTerms } from '../../lease/machineTerms.js';
import { programText } from '../../shell/programText.js';

/** Named by xdg-user-dirs. */
const folders = {
  DESKTOP: 'Desktop',
  DOCUMENTS: 'Documents',
  DOWNLOAD: 'Downloads',
  MUSIC: 'Music',
  PICTURES: 'Pictures',
  PUBLICSHARE: 'Public',
  TEMPLATES: 'Templates',
  VIDEOS: 'Videos',
};

const settings: readonly (readonly [path: string, name: string, value: string])[] = [
  ['/org.openoffice.Office.Common/Misc', 'FirstRun', 'false'],
  ['/org.openoffice.Office.Common/Misc', 'ShowTipOfTheDay', 'false'],
  // Impress's template dialog.
  ['/org.openoffice.Office.Impress/Misc/NewDoc', 'AutoPilot', 'false'],
  // Bars about a new version and donations.
  ['/org.openoffice.Setup/Product', 'ooSetupLastVersion', '99.9'],
];

const libreOffice = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${settings
  .map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>\n`,
  )
  .join('')}</oor:items>
`;

const files: HomeFiles = {
  ...Object.fromEntries(Object.values(folders).map((name) => [`${name}/`, ''])),
  '.config/user-dirs.dirs': Object.entries(folders)
    .map(
      ([kind, name]) => `XDG_${kind}_DIR="$HOME/${name}"
`,
    )
    .join(''),
  '.bashrc': programText(new URL('./bashrc.sh', import.meta.url)),
  '.profile': '[ -z "$BASH_VERSION" ] || . "$HOME/.bashrc"\n',
  '.local/bin/sudo': { text: programText(new URL('./sudo.sh', import.meta.url)), executable: true },
  '.local/lib/clipboard/xclip': { text: programText(new URL('./xclip.sh', import.meta.url)), executable: true },
  '.config/libreoffice/4/user/registrymodifications.xcu': libreOffice,
  // No dialog about metadata; the web interface that OSWorld's evaluators read, with their password.
  '.config/vlc/vlcrc': '[qt]\nqt-privacy-ask=0\n\n[lua]\nhttp-password=password\n\n[core]\nextraintf=http\n',
  // Chromium's welcome page.
  '.config/google-chrome/First Run': '',
  // Set-ups edit it, and fail silently without it.
  '.config/google-chrome/Default/Preferences': '{}\n',
  '.config/chromium/First Run': '',
};

/** Screen, user name, and a home without first-run dialogs, as OSWorld's tasks expect. */
export const osworldLease = {
  size: { width: 1_920, height: 1_080 },
  user: 'user',
  files,
  // GNOME's settings persist without a daemon.
  env: { GSETTINGS_BACKEND: 'keyfile' },
} as const satisfies Partial<MachineTerms>;
