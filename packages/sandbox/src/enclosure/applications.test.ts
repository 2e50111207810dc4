import { describe, expect, it } from 'vitest';
import { Desktop } from '../desktop/desktop.js';
import { missingForDesktop } from '../desktop/requirement.js';
import { findBrowser } from '../executable.js';
import { createEnclosure } from './createEnclosure.js';
import { builders } from './builders.test.support.js';
import { run } from './within.test.support.js';

const missing = missingForDesktop().map(({ debian }) => debian);

function browser(): string | null {
  try {
    const { path } = findBrowser();
    return path.startsWith('/usr/') ? path : null;
  } catch {
    return null;
  }
}

for (const { kind, isolation, label } of builders)
  describe.skipIf(isolation.kind === 'none')(`within walls ${label}`, () => {
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
      const { stdout } = await run(enclosure, browser()!, ['--dump-dom', page]);
      await enclosure.close();
      expect(stdout).toContain('42');
    });
  });
