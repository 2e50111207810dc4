import type { AppIconName } from '../look/appIcons.js';
import type { AppKind } from '../app.js';
import type { settingsWords } from './settingsWords.js';

export type Value = string | number | boolean;

/** `level` ranges from 0 to 100 in tens, a `fact` is read-only, an `act` has to be confirmed. */
export interface Setting {
  id: string;
  kind: 'switch' | 'choice' | 'level' | 'text' | 'fact' | 'act' | 'page';
  label: string;
  options?: string[];
}

export interface SettingsPage {
  id: string;
  label: string;
  icon: AppIconName;
  /** '' at the top level. */
  parent: string;
  /** Changes count only once saved. */
  saves: boolean;
  settings: Setting[];
}

export interface SettingsStore {
  pages: SettingsPage[];
  values: Record<string, Value>;
}

export interface SettingsUi {
  page: string;
  search: string;
  draft: Record<string, Value>;
  ask: string;
}

export interface SettingsApp extends AppKind {
  store: SettingsStore;
  ui: SettingsUi;
  word: keyof typeof settingsWords;
}

export function pageOf({ pages }: SettingsStore, setting: string): SettingsPage | undefined {
  return pages.find(({ settings }) => settings.some(({ id }) => id === setting));
}

export function searchSettings({ pages }: SettingsStore, text: string): [SettingsPage, Setting][] {
  const sought = text.trim().toLowerCase();
  return pages.flatMap((page) =>
    page.settings
      .filter(({ kind, label }) => kind !== 'page' && label.toLowerCase().includes(sought))
      .map((setting): [SettingsPage, Setting] => [page, setting]),
  );
}
