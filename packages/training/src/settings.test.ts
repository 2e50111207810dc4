import { expect, test } from 'vitest';
import { Settings } from './settings.js';

test('families of pages and of browsers within walls can be practised, those of desktops cannot', () => {
  const practised = (family: string) => Settings.safeParse({ families: [family] });
  for (const family of ['tabs', 'shell.readAndType', 'hybrid.restart']) expect(practised(family).success).toBe(true);
  expect(practised('calc.sum').error?.issues[0]?.message).toMatch(/desktop/);
});
