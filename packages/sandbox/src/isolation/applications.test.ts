import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Desktop } from '../desktop/desktop.js';
import { missingForDesktop } from '../desktop/requirement.js';
import { findBrowser } from '../browser/executable.js';
import { Sandbox } from '../lease/sandbox.js';
import { createEnclosure } from './createEnclosure.js';
import { builders } from './builders.test.support.js';
import { baseDirectory, isolation, run, whyNot } from './within.test.support.js';

const missing = missingForDesktop().map(({ debian }) => debian);

function browser(): string | null {
  try {
    const { path } = findBrowser();
    return path.startsWith('/usr/') ? path : null;
  } catch {
    return null;
  }
}

const namespaces = ['office', 'table', 'text'].map(
  (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
);
const calculation = `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${namespaces.join(' ')} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="T"><table:table-row>
<table:table-cell office:value-type="float" office:value="20"/>
</table:table-row></table:table></office:spreadsheet></office:body></office:document>`;

const profile = `<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Office.Common/Misc">
<prop oor:name="ShowTipOfTheDay" oor:op="fuse"><value>false</value></prop></item></oor:items>`;

const office = existsSync('/usr/lib/libreoffice/program/libsclo.so');
const wine = existsSync('/usr/bin/wine');

for (const { kind, isolation, label } of builders)
  describe.skipIf(isolation.kind === 'none')(`under isolation ${label}`, () => {
    it.skipIf(missing.length > 0)('a desktop runs, is seen and is acted on from outside', async () => {
      const enclosure = await createEnclosure({ isolation: kind });
      try {
        const desktop = await Desktop.start(enclosure, { size: { width: 320, height: 240 } });
        const before = await desktop.observe();
        await desktop.act({ type: 'right_click', point: { x: 0.5, y: 0.5 } });
        expect((await desktop.observe()).hash).not.toBe(before.hash);
        await desktop.close();
      } finally {
        await enclosure.close();
      }
    });

    it.skipIf(browser() === null)('Chromium has its own sandbox where namespaces may be nested', async () => {
      const page = 'data:text/html,<p id=x>0</p><script>x.textContent = 6 * 7</script>';
      const enclosure = await createEnclosure({ isolation: kind, nestedNamespaces: true });
      const { stdout } = await run(enclosure, browser()!, ['--dump-dom', page], { as: 'system' });
      const byAgent = await run(enclosure, 'unshare', ['--user', 'true']);
      await enclosure.close();
      expect(stdout).toContain('42');
      expect(byAgent.code).not.toBe(0);
    });
  });

describe.skipIf(isolation.kind === 'none')(`isolated programs${whyNot}`, () => {
  const forOffice = office ? '' : ' (needs libreoffice-calc)';
  it.skipIf(missing.length > 0 || !office)(`LibreOffice opens, calculates and saves${forOffice}`, async () => {
    const sandbox = await Sandbox.start({ directory: baseDirectory() });
    try {
      const { desktop, files, screen } = await sandbox.lease({ kind: 'desktop' });
      await files.write('.config/libreoffice/4/user/registrymodifications.xcu', profile, { folders: true });
      await files.write('sum.fods', calculation);
      await desktop.launch('soffice', ['--norestore', '--nologo', '--calc', 'sum.fods']);
      await desktop.waitForWindow(({ title }) => title.startsWith('sum.fods'), 50_000);
      const saved = async () => {
        await screen.act({ type: 'type', text: '=6*7\n' });
        await screen.act({ type: 'hotkey', keys: 'ctrl s' });
        return Buffer.from(await files.readBytes('sum.fods')).toString();
      };
      await expect.poll(saved, { timeout: 50_000, interval: 500 }).toMatch(/of:=6\*7"[^>]*office:value="42"/);
    } finally {
      await sandbox.close();
    }
  });

  it.skipIf(missing.length > 0 || !wine)(`Wine runs a Windows program${wine ? '' : ' (needs wine)'}`, async () => {
    const sandbox = await Sandbox.start({ directory: baseDirectory() });
    try {
      const { desktop } = await sandbox.lease({ kind: 'desktop', wine: ['notepad'] });
      expect(await desktop.windows()).toMatchObject([{ program: 'explorer.exe', focused: true }]);
      const written = async () => {
        await desktop.act({ type: 'type', text: 'Wine' });
        for (const keys of ['ctrl a', 'ctrl c']) await desktop.act({ type: 'hotkey', keys });
        return desktop.readClipboard();
      };
      await expect.poll(written, { timeout: 20_000 }).toBe('Wine');
    } finally {
      await sandbox.close();
    }
  });
});
