import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import { type AdminApp, type Filters, type User, sheetRows, ticketsOf, usersOf } from './adminStore.js';

type AdminKit = Kit<AdminApp>;

/** Identifies unnamed users, or a question's subject. */
export interface AdminHint {
  readonly filters?: Partial<Filters>;
  readonly sort?: 'joined' | 'oldest';
  readonly user?: string;
  readonly page?: 'home' | 'users' | 'tickets';
}

const fields = ['name', 'email', 'role', 'team', 'status'] as const;

export function solveAdmin(kit: AdminKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  if (ui.ask.length > 0) {
    const meant = ui.ask.every((id) => !(id in goal.users));
    return meant ? kit.press('ask-yes', 'these are to go') : kit.press('ask-no', 'not all of these are to go');
  }
  const ids = Object.keys(store.users);
  const gone = ids.filter((id) => !(id in goal.users));
  if (gone.length > 2) return bulk(kit, gone, 'delete');
  for (const field of ['role', 'team', 'status'] as const) {
    const groups = new Map<string, string[]>();
    for (const id of ids) {
      const [now, aim] = [store.users[id]?.[field], goal.users[id]?.[field]];
      if (aim && aim !== now) groups.set(aim, [...(groups.get(aim) ?? []), id]);
    }
    for (const [aim, some] of groups) {
      if (some.length > 2) return bulk(kit, some, field === 'status' ? aim : `${field}-${aim}`);
    }
  }
  const userId =
    gone[0] ?? ids.find((id) => fields.some((field) => goal.users[id]?.[field] !== store.users[id]?.[field]));
  if (userId) return change(kit, userId);
  const invited = Object.entries(goal.users).find(([id]) => !(id in store.users))?.[1];
  if (invited) return invite(kit, invited);
  return tickets(kit);
}

export function lookAdmin(kit: AdminKit, hint: AdminHint): SolvedTurn | undefined {
  const { ui } = kit;
  const page = hint.page ?? 'users';
  // A table may truncate what the form shows in full.
  if (hint.user && ui.page === 'edit' && ui.user === hint.user) return undefined;
  if (ui.page !== page) return openPage(kit, page);
  return hint.user
    ? (find(kit, hint.user) ?? kit.press(`user-${hint.user}`, 'open it to see everything'))
    : narrow(kit);
}

function openPage(kit: AdminKit, page: 'home' | 'users' | 'tickets'): SolvedTurn {
  return kit.press(`page-${page}`, `go to ${kit.words[page]}`);
}

function narrow(kit: AdminKit): SolvedTurn | undefined {
  const { ui, words } = kit;
  const { filters = {}, sort } = (kit.hint ?? {}) as AdminHint;
  for (const [by, value] of Object.entries(filters) as [keyof Filters, string][]) {
    if (ui.filters[by] !== value) {
      const text = by === 'team' ? value : words[value as User['role']];
      return kit.choose(`filter-${by}`, value, `only "${text}" is of interest`);
    }
  }
  if (sort && ui.sort !== sort) return kit.choose('sort', sort, `sort: "${words[sort]}"`);
  return undefined;
}

function find(kit: AdminKit, id: string): SolvedTurn | undefined {
  const { store, ui } = kit;
  if (ui.page !== 'users') return openPage(kit, 'users');
  const narrowed = narrow(kit);
  if (narrowed) return narrowed;
  const userIds = usersOf(store, ui);
  const { filters, sort } = (kit.hint ?? {}) as AdminHint;
  if ((filters || sort) && userIds.includes(id)) {
    const sheet = Math.floor(userIds.indexOf(id) / sheetRows);
    return sheet === ui.sheet ? undefined : kit.press(`sheet-${sheet}`, 'it is on another page');
  }
  if (userIds.slice(ui.sheet * sheetRows, (ui.sheet + 1) * sheetRows).includes(id)) return undefined;
  const user = store.users[id];
  const hiding = (['role', 'status', 'team'] as const).find((by) => ui.filters[by] && user?.[by] !== ui.filters[by]);
  if (hiding) return kit.choose(`filter-${hiding}`, 'all', 'this filter hides who is wanted');
  if (ui.picked.length > 0) return kit.press(`page-users`, 'start anew: nobody is to be ticked');
  return kit.fill('search', user?.name ?? '', `look for "${user?.name}"`) ?? openPage(kit, 'users');
}

function bulk(kit: AdminKit, ids: readonly string[], act: string): SolvedTurn {
  const { store, ui } = kit;
  const { picked } = ui;
  if (ui.page !== 'users') return openPage(kit, 'users');
  const stray = picked.find((id) => !ids.includes(id));
  if (stray) return kit.has(`pick-${stray}`) ? kit.press(`pick-${stray}`, 'not this one') : openPage(kit, 'users');
  const next = ids.find((id) => !picked.includes(id));
  if (!next) {
    if (act === 'delete' || act === 'suspended' || act === 'active') {
      return kit.press(`bulk-${act}`, 'all are ticked: do it to all of them');
    }
    const [list = '', option = ''] = act.split(/-(.*)/s);
    return kit.choose(`bulk-${list}`, option, 'all are ticked: do it to all of them');
  }
  if (picked.length === 0) {
    const narrowed = narrow(kit);
    if (narrowed) return narrowed;
  }
  const userIds = usersOf(store, ui);
  const missing = ids.filter((id) => !picked.includes(id));
  const visible = userIds.slice(ui.sheet * sheetRows, (ui.sheet + 1) * sheetRows);
  const here = missing.filter((id) => visible.includes(id));
  if (here.length > 1 && visible.every((id) => ids.includes(id))) {
    return kit.press('pick-all', 'all on this page are meant: tick them at once');
  }
  if (here[0]) return kit.press(`pick-${here[0]}`, `"${store.users[here[0]]?.name}" is one of them: tick it`);
  const place = missing.map((id) => userIds.indexOf(id)).find((index) => index >= 0);
  if (place === undefined) return openPage(kit, 'users');
  return kit.press(`sheet-${Math.floor(place / sheetRows)}`, 'more of them are on another page');
}

function change(kit: AdminKit, id: string): SolvedTurn {
  const { store, goal, ui } = kit;
  const [now, aim] = [store.users[id]!, goal.users[id]];
  const wrong = aim ? fields.filter((field) => aim[field] !== now[field]) : [];
  const quick = !aim
    ? 'delete'
    : wrong.length === 1 && wrong[0] === 'status' && aim.status !== 'invited'
      ? aim.status
      : '';
  if (ui.page === 'edit' && ui.user === id && aim) return fillForm(kit, aim);
  const row = find(kit, id);
  if (row) return row;
  if (quick) return kit.choose(`act-${id}`, quick, `"${now.name}" is the one`);
  return kit.choose(`act-${id}`, 'edit', `"${now.name}" is the one: edit`);
}

function fillForm(kit: AdminKit, aim: User): SolvedTurn {
  const { ui } = kit;
  const text =
    kit.fill('form-name', aim.name, `the name is "${aim.name}"`) ??
    kit.fill('form-email', aim.email, `the address is ${aim.email}`);
  if (text) return text;
  for (const key of ['role', 'team', 'status'] as const) {
    if (ui.form[key] !== aim[key]) return kit.choose(`form-${key}`, aim[key], `${kit.words[key]} has to change`);
  }
  return kit.press('form-save', 'the form is right: done');
}

function invite(kit: AdminKit, user: User): SolvedTurn {
  if (kit.ui.page === 'edit' && kit.ui.user === '') return fillForm(kit, user);
  return kit.press('invite', 'somebody new is to be invited');
}

function tickets(kit: AdminKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const wrong = Object.keys(goal.tickets).filter((id) =>
    (['priority', 'agent', 'state'] as const).some((key) => goal.tickets[id]?.[key] !== store.tickets[id]?.[key]),
  );
  if (wrong.length === 0) return undefined;
  if (ui.page !== 'tickets') return openPage(kit, 'tickets');
  const ticketIds = ticketsOf(store, ui);
  const visible = ticketIds.slice(ui.sheet * sheetRows, (ui.sheet + 1) * sheetRows);
  const id = wrong.find((one) => visible.includes(one));
  if (!id) {
    const [first = ''] = wrong;
    const { filters } = (kit.hint ?? {}) as AdminHint;
    if (ticketIds.includes(first) && (ui.search || filters)) {
      return kit.press(`sheet-${Math.floor(ticketIds.indexOf(first) / sheetRows)}`, 'it is on another page');
    }
    const narrowed = narrow(kit);
    if (narrowed) return narrowed;
    if (Object.values(ui.filters).some(Boolean) && !filters) return kit.press('clear', 'the filters hide it');
    const title = store.tickets[first]?.title ?? '';
    return kit.fill('search', title, `look for "${title}"`) ?? openPage(kit, 'tickets');
  }
  const [now, aim] = [store.tickets[id]!, goal.tickets[id]!];
  if (now.priority !== aim.priority) return kit.choose(`priority-${id}`, aim.priority, `"${now.title}" is the one`);
  if (now.agent !== aim.agent) return kit.choose(`agent-${id}`, aim.agent || 'nobody', `"${now.title}" is the one`);
  return kit.press(`state-${id}`, `"${now.title}" is the one`);
}
