import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import { type SettingsApp, type SettingsPage, pageOf } from './settingsStore.js';

type SettingsKit = Kit<SettingsApp>;

export function solveSettings(kit: SettingsKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  if (ui.ask) {
    const isWanted = goal.values[ui.ask] !== store.values[ui.ask];
    return isWanted ? kit.press('ask-yes', 'this is what was asked for') : kit.press('ask-no', 'nobody asked for this');
  }
  const wrong = Object.keys(goal.values).filter((id) => goal.values[id] !== store.values[id]);
  const here = wrong.find((id) => pageOf(store, id)?.id === ui.page) ?? wrong[0];
  if (here === undefined) return undefined;
  const page = pageOf(store, here);
  if (!page) return undefined;
  const open = openPage(kit, page, here);
  if (open) return open;
  if (!page.saves) return change(kit, here);
  for (const { id } of page.settings) {
    const turn = change(kit, id);
    if (turn) return turn;
  }
  return kit.press('save', 'all is as it should be: save it');
}

export function lookSettings(kit: SettingsKit, { setting }: { setting: string }): SolvedTurn | undefined {
  const page = pageOf(kit.store, setting);
  return page && openPage(kit, page, setting);
}

function openPage(kit: SettingsKit, page: SettingsPage, setting: string): SolvedTurn | undefined {
  const { store, ui } = kit;
  const label = page.settings.find(({ id }) => id === setting)?.label ?? '';
  const seeks = (kit.hint as { search?: boolean } | undefined)?.search ?? false;
  if (ui.search === '' && ui.page === page.id) return undefined;
  if (seeks) return kit.fill('search', label, 'where is it? Search') ?? kit.press(`result-${setting}`, 'there it is');
  if (ui.search) return kit.fill('search', '', 'no search is needed');
  const thought = `"${label}" is under ${page.label}`;
  if (kit.has(`page-${page.id}`)) return kit.press(`page-${page.id}`, thought);
  const parent = store.pages.find(({ id }) => id === page.parent);
  if (parent && kit.has(`page-${parent.id}`)) return kit.press(`page-${parent.id}`, thought);
  return kit.press('back', 'it is on another page: go back');
}

function change(kit: SettingsKit, id: string): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const setting = pageOf(store, id)?.settings.find((one) => one.id === id);
  const [now, aim] = [ui.draft[id] ?? store.values[id], goal.values[id]];
  if (!setting || now === aim || aim === undefined) return undefined;
  const thought = `"${setting.label}" has to be ${aim === true ? 'on' : aim === false ? 'off' : String(aim)}`;
  switch (setting.kind) {
    case 'switch':
    case 'act':
      return kit.press(id, thought);
    case 'choice':
      return kit.choose(id, String(aim), thought);
    case 'text':
      return kit.fill(id, String(aim), thought);
    case 'level': {
      const [from, to] = [Number(now), Number(aim)];
      if (Math.abs(from - to) <= 20) return kit.press(`${id}-${from < to ? 'more' : 'less'}`, thought);
      return kit.actOn(id, thought, (middle) => {
        const { width } = kit.find(id)!.getBoundingClientRect();
        return {
          type: 'click',
          point: { x: middle.x + ((to - 50) / 100) * (width / window.innerWidth) * 0.98, y: middle.y },
        };
      });
    }
    default:
      return undefined;
  }
}
