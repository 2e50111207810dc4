// Takes the pictures of docs/how-to/desktops.md through the server. Start `npx gyre serve sandbox --port 8700`, then
//   node docs/how-to/desktops.mjs http://127.0.0.1:8700 TOKEN [libreoffice wine]
// TOKEN needs the scope `operate`. Requires libreoffice-calc and libreoffice-gtk3 for the first, wine and fonts-wine for the second.
import { mkdir, writeFile } from 'node:fs/promises';
import { BrowserPool, SandboxClient } from '@gyre/sandbox';

const [url, token, ...names] = process.argv.slice(2);
if (token === undefined) throw new Error('node docs/how-to/desktops.mjs URL TOKEN [libreoffice wine]');
const folder = new URL('../pictures/', import.meta.url);
const client = new SandboxClient({ url, token });

/** Converts px of a 1280 x 720 screen to a canonical point, 0..1. */
const pointAt = (x, y) => ({ x: x / 1280, y: y / 720 });

async function savePicture(name, png) {
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${name}.png`, folder), png);
  console.log(`docs/pictures/${name}.png: ${png.length} bytes`);
}

/** Polls `look` until it returns a value: saving takes time. */
async function poll(look) {
  for (let tries = 0; tries < 100; tries++) {
    const value = await look();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('timed out');
}

const textOf = async (session, path) =>
  Buffer.from(await session.files.readBytes(path).catch(() => new Uint8Array())).toString();

/** Returns a spreadsheet as flat OpenDocument XML. */
function spreadsheet(rows) {
  const cell = (value) =>
    typeof value === 'number'
      ? `<table:table-cell office:value-type="float" office:value="${value}"/>`
      : `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
  const row = (cells) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`;
  const namespaces = ['office', 'table', 'text'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${namespaces.join(' ')} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Sales">
${rows.map(row).join('\n')}
</table:table></office:spreadsheet></office:body></office:document>`;
}

/** A profile of LibreOffice that greets nobody: no tip of the day, and nothing about what is new. */
function quietProfile() {
  const settings = [
    ['/org.openoffice.Office.Common/Misc', 'ShowTipOfTheDay', 'false'],
    ['/org.openoffice.Office.Common/Misc', 'FirstRun', 'false'],
    ['/org.openoffice.Setup/Product', 'ooSetupLastVersion', '99.9'],
  ];
  const item = ([path, name, value]) =>
    `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">${settings.map(item).join('')}</oor:items>`;
}

/** Calc, by mouse and keys, and then the live view of it, in which a person goes on. */
async function libreoffice() {
  const session = await client.lease({ kind: 'desktop' });
  const { screen, files, desktop } = session;
  try {
    await files.write('.config/libreoffice/4/user/registrymodifications.xcu', quietProfile());
    const quarters = [
      ['Quarter', 'Revenue', 'Costs'],
      ['Q1', 1200, 950],
      ['Q2', 1350, 990],
      ['Q3', 1280, 1010],
    ];
    await files.write('sales.fods', spreadsheet(quarters));
    await desktop.launch('soffice', ['--norestore', '--nologo', '--calc', 'sales.fods']);
    await desktop.waitForWindow(({ title }) => title.startsWith('sales.fods'), 60_000);
    await screen.act({ type: 'wait', seconds: 1 });

    for (const action of [
      { type: 'click', point: pointAt(80, 258) },
      { type: 'type', text: 'Q4\t1410\t1060\nTotal\t=SUM(B2:B5)\t=SUM(C2:C5)\n' },
      { type: 'click', point: pointAt(328, 190) },
      { type: 'type', text: 'Profit\n=B2-C2\n=B3-C3\n=B4-C4\n=B5-C5\n=B6-C6\n' },
      // Bold: the first row, by its number, and the last, by pulling the mouse over it.
      { type: 'click', point: pointAt(20, 190) },
      { type: 'hotkey', keys: 'ctrl b' },
      { type: 'drag', start: pointAt(80, 275), end: pointAt(328, 275) },
      { type: 'hotkey', keys: 'ctrl b' },
      { type: 'hotkey', keys: 'ctrl s' },
    ]) {
      await screen.act(action);
      // An agent would look. On a busy machine Calc loses a shortcut that a click follows at once.
      await screen.act({ type: 'wait', seconds: 1 });
    }

    const saved = await poll(async () => {
      const text = await textOf(session, 'sales.fods');
      return text.includes('SUM') && text;
    });
    const formulas = saved.matchAll(/table:formula="([^"]*)"[^>]*office:value="([^"]*)"/g);
    console.log('saved:', [...formulas].map(([, formula, value]) => `${formula} = ${value}`).join(', '));
    // A cell with a formula, which Calc then shows above.
    await screen.act({ type: 'click', point: pointAt(328, 275) });
    await screen.act({ type: 'wait', seconds: 1 });
    await savePicture('libreoffice', (await screen.observe()).png);
    await liveView(session);
  } finally {
    await session.release();
  }
}

/** The page at which a person watches a session: Anna takes it over, and writes something below. */
async function liveView({ id }) {
  const pool = await BrowserPool.launch({ clock: 'free', network: 'any' });
  try {
    const person = await pool.lease({ size: { width: 1280, height: 780 } });
    const { browser, screen } = person;
    await browser.navigate(`${url}/v1/sessions/${id}/view#token=${token}&name=Anna`);
    const middleOf = async (name) => {
      const box = `document.getElementById('${name}').getBoundingClientRect()`;
      const [x, y] = await browser.evaluate(`[${box}.x + ${box}.width / 2, ${box}.y + ${box}.height / 2]`);
      return { x: x / 1280, y: y / 780 };
    };
    await poll(() => browser.evaluate(`document.getElementById('stateText').textContent === 'live'`));
    await screen.act({ type: 'click', point: await middleOf('take') });
    await poll(() => browser.evaluate(`document.getElementById('stateText').textContent === 'you have taken over'`));
    // A8, where the page shows it.
    const [left, top, width, height] = await browser.evaluate(
      `(({ x, y, width, height }) => [x, y, width, height])(document.getElementById('screen').getBoundingClientRect())`,
    );
    const scale = Math.min(width / 1280, height / 720);
    const point = {
      x: (left + (width - 1280 * scale) / 2 + 80 * scale) / 1280,
      y: (top + (height - 720 * scale) / 2 + 309 * scale) / 780,
    };
    await screen.act({ type: 'click', point });
    await screen.act({ type: 'wait', seconds: 1 });
    await screen.act({ type: 'type', text: 'Q4 is not final yet. Anna' });
    await screen.act({ type: 'wait', seconds: 3 });
    await savePicture('live-view', (await screen.observe()).png);
  } finally {
    await pool.close();
  }
}

/** Notepad on Wine's desktop: typed into, saved by its dialog, and read from outside. */
async function wine() {
  const session = await client.lease({ kind: 'desktop', wine: ['notepad'] });
  const { screen, desktop } = session;
  try {
    await screen.act({ type: 'wait', seconds: 2 });
    await screen.act({ type: 'drag', start: pointAt(300, 13), end: pointAt(890, 173) });
    await screen.act({ type: 'click', point: pointAt(900, 400) });
    await screen.act({
      type: 'type',
      text: 'Written by an agent that sees only the screen.\nThis is Wine, not Windows.\n',
    });
    await screen.act({ type: 'hotkey', keys: 'ctrl s' });
    await screen.act({ type: 'wait', seconds: 2 });
    await screen.act({ type: 'type', text: 'Z:\\home\\agent\\note.txt\n' });
    console.log('saved:', JSON.stringify(await poll(() => textOf(session, 'note.txt'))));
    // A second program on the same desktop, which opens in the corner; then Notepad to the front, by the bar below.
    await desktop.launch('wine', ['explorer', '/desktop=shell', 'winefile']);
    await screen.act({ type: 'wait', seconds: 3 });
    await screen.act({ type: 'double_click', point: pointAt(348, 119) });
    await screen.act({ type: 'drag', start: pointAt(372, 104), end: pointAt(480, 104) });
    await screen.act({ type: 'click', point: pointAt(140, 711) });
    await screen.act({ type: 'wait', seconds: 1 });
    await savePicture('wine', (await screen.observe()).png);
  } finally {
    await session.release();
  }
}

const pictures = { libreoffice, wine };
for (const name of names.length > 0 ? names : Object.keys(pictures)) await pictures[name]();
