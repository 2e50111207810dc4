import type { AppIconName } from '../look/appIcons.js';
import type { AppKind } from '../app.js';
import type { settingsWords } from './settingsWords.js';

export type Value = string | number | boolean;

/** One setting. `level` goes from 0 to 100 in tens; a `fact` can only be read; an `act` is done after it was confirmed. */
export interface Setting {
  id: string;
  kind: 'switch' | 'choice' | 'level' | 'text' | 'fact' | 'act' | 'page';
  label: string;
  /** Of a choice. */
  options?: string[];
}

export interface SettingsPage {
  id: string;
  label: string;
  icon: AppIconName;
  /** The page that it is opened from; '' for those that are always there. */
  parent: string;
  /** What is changed on it counts once it is saved. */
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
  /** What was changed on a page and is not saved. */
  draft: Record<string, Value>;
  /** The act that is to be confirmed. */
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

/** Settings whose names hold a text, with their pages. */
export function found({ pages }: SettingsStore, text: string): [SettingsPage, Setting][] {
  const sought = text.trim().toLowerCase();
  return pages.flatMap((page) =>
    page.settings
      .filter(({ kind, label }) => kind !== 'page' && label.toLowerCase().includes(sought))
      .map((setting): [SettingsPage, Setting] => [page, setting]),
  );
}
