import { constants, existsSync, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { readLines } from '../events/lines.js';
import type { Folder } from './folder.js';
import type { Programs } from './programs.js';

const items = {
  terminal: { label: 'Terminal emulator', program: 'x-terminal-emulator' },
  browser: { label: 'Web browser', program: 'x-www-browser' },
} as const;

const openboxConfig = '/etc/xdg/openbox/rc.xml';

/** Does not wait for a writer, and never reads an end of file. */
const flags = constants.O_RDWR | constants.O_NONBLOCK;

/**
 * openbox is a system program and must start nothing for the agent: its menu writes a word into a pipe, and this
 * process starts the program.
 */
export class RootMenu {
  readonly #pipe: Socket;

  private constructor(
    /** Path inside. */
    readonly config: string,
    pipe: Socket,
  ) {
    this.#pipe = pipe;
  }

  static async open(programs: Programs, folder: Folder): Promise<RootMenu> {
    const [menu, config, pipe] = ['menu.xml', 'rc.xml', 'menu'].map((name) => join(folder.inside, name)) as [
      string,
      string,
      string,
    ];
    await folder.makePipe('menu');
    await folder.write('menu.xml', menuFile(pipe));
    await folder.write(
      'rc.xml',
      configuration(existsSync(openboxConfig) ? readFileSync(openboxConfig, 'utf8') : '', menu),
    );
    const socket = new Socket({ fd: openSync(join(folder.onHost, 'menu'), flags), readable: true, writable: false });
    socket.unref();
    socket.on('error', () => undefined);
    readLines(socket, (word) => {
      if (!Object.hasOwn(items, word)) return;
      void programs.launch(items[word as keyof typeof items].program, []).catch(() => undefined);
    });
    return new RootMenu(config, socket);
  }

  close(): void {
    this.#pipe.destroy();
  }
}

function menuFile(pipe: string): string {
  const entries = Object.entries(items).map(
    ([word, { label }]) =>
      `<item label="${label}"><action name="Execute"><command>sh -c 'echo ${word} >${pipe}'</command></action></item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<openbox_menu xmlns="http://openbox.org/3.4/menu"><menu id="root-menu" label="Openbox 3">${entries.join('')}</menu></openbox_menu>
`;
}

/** Removes actions that start programs; falls back to openbox's defaults. */
function configuration(distributed: string, menu: string): string {
  const harmless = distributed
    .replace(/<!--.*?-->/gs, '')
    .replace(/<action\s+name="execute"\s*>.*?<\/action>/gis, '')
    .replace(/<file>[^<]*<\/file>/gi, '')
    .replace(/<\/menu>\s*<applications>/i, `<file>${menu}</file>$&`);
  if (harmless.includes(menu) && !/execute/i.test(harmless)) return harmless;
  return `<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc"><menu><file>${menu}</file></menu></openbox_config>
`;
}
