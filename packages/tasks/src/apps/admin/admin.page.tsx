import type { ComponentChildren } from 'preact';
import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Dialog, Drop, Icon, Labelled, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { lookAdmin, solveAdmin } from './adminSolver.js';
import {
  type AdminApp,
  type AdminUi,
  type User,
  emptyUser,
  noFilters,
  roles,
  saveUser,
  statuses,
} from './adminStore.js';
import { TicketTable, UserTable } from './adminTables.js';

type AdminScene = Scene<AdminApp>;

function goTo({ store, ui }: AdminScene, page: AdminUi['page']): void {
  Object.assign(ui, { page, filters: noFilters(), search: '', sheet: 0, picked: [], user: '', form: emptyUser(store) });
}

function Card({ label, value, children }: { label: string; value: number | string; children?: ComponentChildren }) {
  return (
    <div class="panel card">
      <span class="muted small">{label}</span>
      <span class="figure">{value}</span>
      {children}
    </div>
  );
}

function Home({ store, words }: AdminScene) {
  const users = Object.values(store.users);
  const counts = store.teams.map((team) => users.filter((user) => user.team === team).length);
  const largestCount = Math.max(...counts);
  return (
    <div class="pane home">
      <div class="cards">
        {statuses.map((status) => (
          <Card
            key={status}
            label={`${words.users} · ${words[status]}`}
            value={users.filter((user) => user.status === status).length}
          />
        ))}
        <Card
          label={`${words.tickets} · ${words.open}`}
          value={Object.values(store.tickets).filter(({ state }) => state === 'open').length}
        />
      </div>
      <div class="panel chart">
        <span class="strong">
          {words.users} · {words.team}
        </span>
        <div class="columns">
          {store.teams.map((team, index) => (
            <div class="column" key={team}>
              <span class="small">{counts[index]}</span>
              <i style={`height:${Math.round((150 * (counts[index] ?? 0)) / largestCount)}px`} />
              <span class="small muted">{team}</span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function Form(scene: AdminScene) {
  const { store, ui, words } = scene;
  const { form } = ui;
  const choice = <Key extends 'role' | 'status' | 'team'>(key: Key, options: readonly User[Key][]) => {
    const textOf = (value: string) => (key === 'team' ? value : words[value as User['role']]);
    return (
      <div>
        <span class="label">{words[key]}</span>
        <Drop
          name={`form-${key}`}
          ui={ui}
          options={options.map((value) => ({ key: value, text: textOf(value), on: form[key] === value }))}
          choose={(value) => (form[key] = value as User[Key])}
        >
          {textOf(form[key])}
        </Drop>
      </div>
    );
  };
  return (
    <div class="pane home">
      <div class="panel down form">
        <span class="title">{ui.user ? `${words.edit}: ${store.users[ui.user]?.name}` : words.invite}</span>
        <Labelled
          name="form-name"
          label={words.name}
          value={form.name}
          type={(text) => (form.name = text)}
          note={ui.bad && !form.name.trim() ? '!' : undefined}
        />
        <Labelled
          name="form-email"
          label={words.email}
          value={form.email}
          type={(text) => (form.email = text)}
          note={ui.bad && !form.email.includes('@') ? '@' : undefined}
        />
        <div class="across wide">
          {choice('role', roles)}
          {choice('team', store.teams)}
          {ui.user && choice('status', statuses)}
        </div>
        <div class="across">
          <span class="grow" />
          <Button name="form-cancel" press={() => goTo(scene, 'users')}>
            {words.cancel}
          </Button>
          <Button
            name="form-save"
            kind="main"
            press={() => {
              ui.bad = !form.name.trim() || !form.email.includes('@');
              if (ui.bad) return;
              saveUser(store, ui.user, form);
              goTo(scene, 'users');
            }}
          >
            {ui.user ? words.save : words.send}
          </Button>
        </div>
      </div>
    </div>
  );
}

function AdminView(scene: AdminScene) {
  const { store, ui, words } = scene;
  const tab = (page: 'home' | 'users' | 'tickets', icon: 'chart' | 'user' | 'file') => (
    <div
      class={`item ${ui.page === page || (page === 'users' && ui.page === 'edit') ? 'on' : ''}`}
      {...on(`page-${page}`, { press: () => goTo(scene, page) })}
    >
      <Icon name={icon} />
      <span>{words[page]}</span>
    </div>
  );
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="grid" />
          {words.app}
        </div>
        <span class="grow" />
        <Button
          name="invite"
          icon="plus"
          kind="main"
          press={() => {
            goTo(scene, 'edit');
            ui.bad = false;
          }}
        >
          {words.invite}
        </Button>
      </div>
      <div class="body">
        <div class="side">
          {tab('home', 'chart')}
          {tab('users', 'user')}
          {tab('tickets', 'file')}
        </div>
        {ui.page === 'home' && <Home {...scene} />}
        {ui.page === 'users' && <UserTable {...scene} />}
        {ui.page === 'tickets' && <TicketTable {...scene} />}
        {ui.page === 'edit' && <Form {...scene} />}
      </div>
      {ui.ask.length > 0 && (
        <Dialog title={words.sure}>
          <span>{ui.ask.map((id) => store.users[id]?.name).join(', ')}</span>
          <div class="end">
            <Button name="ask-no" press={() => (ui.ask = [])}>
              {words.cancel}
            </Button>
            <Button
              name="ask-yes"
              kind="main"
              press={() => {
                for (const id of ui.ask) delete store.users[id];
                Object.assign(ui, { ask: [], picked: [] });
              }}
            >
              {words.yes}
            </Button>
          </div>
        </Dialog>
      )}
      <Toast ui={ui} />
    </>
  );
}

export default runApp<AdminApp>({
  view: AdminView,
  ui: ({ store }) => ({
    ...{
      page: 'home',
      filters: noFilters(),
      search: '',
      sort: 'name',
      sheet: 0,
      picked: [],
      user: '',
      bad: false,
      ask: [],
    },
    form: emptyUser(store),
  }),
  solve: solveAdmin,
  look: lookAdmin,
  escape: ({ ui }) => void (ui.ask = []),
});
