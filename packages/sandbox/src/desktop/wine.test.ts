import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { Sandbox } from '../lease/sandbox.js';
import { missingForDesktop } from './requirement.js';
import { wineDesktop } from './wine.js';

const missing = missingForDesktop().map(({ debian }) => debian);
const size = { width: 800, height: 600 };

function wineIsThere(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v wine']);
    return true;
  } catch {
    return false;
  }
}

const wine = wineIsThere();

describe.skipIf(missing.length > 0)('a desktop of Wine', { timeout: 120_000 }, () => {
  // The first start creates a drive of 700 MB.
  it.skipIf(!wine)(`runs a Windows program${wine ? '' : ' (needs wine)'}`, async () => {
    const enclosure = await BareEnclosure.create();
    const desktop = await wineDesktop(enclosure, { size, program: ['notepad'], wineTimeoutMs: 100_000 });
    const written = async () => {
      await desktop.act({ type: 'type', text: 'Wine' });
      for (const keys of ['ctrl a', 'ctrl c']) await desktop.act({ type: 'hotkey', keys });
      return desktop.readClipboard();
    };
    await expect.poll(written, { timeout: 10_000 }).toBe('Wine');
    await desktop.close();
    await enclosure.close();
  });

  it.skipIf(!wine)(`is leased like any other${wine ? '' : ' (needs wine)'}`, async () => {
    const sandbox = await Sandbox.start({ isolation: 'none' });
    const session = await sandbox.lease({ kind: 'desktop', size, wine: ['notepad'] });
    expect(await session.desktop.windows()).not.toEqual([]);
    await sandbox.close();
  });

  it('is missing in a lease without Wine installed, and is refused for a browser', async () => {
    const sandbox = await Sandbox.start({ isolation: 'none' });
    const browser = sandbox.lease({ kind: 'browser', size, wine: [] });
    await expect(browser).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'wine' } });
    if (!wine)
      await expect(sandbox.lease({ kind: 'desktop', size, wine: [] })).rejects.toMatchObject({ code: 'missing' });
    expect(sandbox.sessions).toEqual([]);
    await sandbox.close();
  });

  it.skipIf(wine)('is missing without Wine installed, and leaves nothing behind', async () => {
    const enclosure = await BareEnclosure.create();
    await expect(wineDesktop(enclosure, { size })).rejects.toMatchObject({
      code: 'missing',
      detail: { field: 'wine' },
    });
    await enclosure.close();
  });
});
