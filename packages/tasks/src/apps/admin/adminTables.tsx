import type { Scene } from '../app.js';
import { dayText } from '../data/day.js';
import { on } from '../page/elementHandlers.js';
import { Button, Drop, Face, Find, Tick } from '../page/parts.js';
import {
  type AdminApp,
  type Filters,
  type User,
  noFilters,
  priorities,
  roles,
  sheetRows,
  statuses,
  ticketStates,
  ticketsOf,
  usersOf,
} from './adminStore.js';

type AdminScene = Scene<AdminApp>;

function Filter({ scene, by, options }: { scene: AdminScene; by: keyof Filters; options: readonly string[] }) {
  const { ui, words } = scene;
  const textOf = (value: string) => (by === 'team' ? value : words[value as User['role']]);
  const chosen = ui.filters[by];
  return (
    <Drop
      name={`filter-${by}`}
      ui={ui}
      kind={chosen ? 'on' : ''}
      options={[
        { key: 'all', text: words.all, on: !chosen },
        ...options.map((value) => ({ key: value, text: textOf(value), on: value === chosen })),
      ]}
      choose={(value) => {
        ui.filters[by] = value === 'all' ? '' : value;
        ui.sheet = 0;
      }}
    >
      {chosen ? textOf(chosen) : words[by]}
    </Drop>
  );
}

function Pager({ scene, count }: { scene: AdminScene; count: number }) {
  const { ui, words } = scene;
  const sheets = Math.max(1, Math.ceil(count / sheetRows));
  return (
    <div class="across pager">
      <span class="muted small">{count}</span>
      <span class="grow" />
      <Button
        name="previous"
        icon="back"
        kind={ui.sheet > 0 ? '' : 'off'}
        press={() => (ui.sheet = Math.max(0, ui.sheet - 1))}
      >
        {words.previous}
      </Button>
      {Array.from({ length: Math.min(sheets, 9) }, (_, sheet) => (
        <Button
          key={sheet}
          name={`sheet-${sheet}`}
          kind={sheet === ui.sheet ? 'on' : 'quiet'}
          press={() => (ui.sheet = sheet)}
        >
          {sheet + 1}
        </Button>
      ))}
      <Button
        name="next"
        icon="next"
        kind={ui.sheet < sheets - 1 ? '' : 'off'}
        press={() => (ui.sheet = Math.min(sheets - 1, ui.sheet + 1))}
      >
        {words.next}
      </Button>
    </div>
  );
}

function SearchField({ scene }: { scene: AdminScene }) {
  const { ui, words } = scene;
  return (
    <Find
      name="search"
      hint={words.search}
      value={ui.search}
      type={(search) => Object.assign(ui, { search, sheet: 0 })}
    />
  );
}

function Bulk(scene: AdminScene) {
  const { store, ui, words } = scene;
  const each = (change: (user: User) => void) => {
    for (const id of ui.picked) {
      const user = store.users[id];
      if (user) change(user);
    }
    ui.picked = [];
  };
  return (
    <div class="tools">
      <span class="strong">
        {ui.picked.length} {words.selected}
      </span>
      <Button name="bulk-suspended" press={() => each((user) => (user.status = 'suspended'))}>
        {words.suspend}
      </Button>
      <Button name="bulk-active" press={() => each((user) => (user.status = 'active'))}>
        {words.activate}
      </Button>
      <Drop
        name="bulk-role"
        ui={ui}
        options={roles.map((key) => ({ key, text: words[key] }))}
        choose={(role) => each((user) => (user.role = role as User['role']))}
      >
        {words.setRole}
      </Drop>
      <Drop
        name="bulk-team"
        ui={ui}
        place="end"
        options={store.teams.map((key) => ({ key, text: key }))}
        choose={(team) => each((user) => (user.team = team))}
      >
        {words.setTeam}
      </Drop>
      <Button name="bulk-delete" icon="trash" press={() => (ui.ask = [...ui.picked])} />
    </div>
  );
}

export function UserTable(scene: AdminScene) {
  const { store, ui, words, language } = scene;
  const users = usersOf(store, ui);
  const page = users.slice(ui.sheet * sheetRows, (ui.sheet + 1) * sheetRows);
  const everyPicked = page.length > 0 && page.every((id) => ui.picked.includes(id));
  const toggle = (ids: readonly string[], pick: boolean) => {
    ui.picked = ui.picked.filter((id) => !ids.includes(id)).concat(pick ? ids : []);
  };
  return (
    <div class="pane panel table">
      {ui.picked.length > 0 ? (
        <Bulk {...scene} />
      ) : (
        <div class="tools">
          <SearchField scene={scene} />
          <Filter scene={scene} by="role" options={roles} />
          <Filter scene={scene} by="status" options={statuses} />
          <Filter scene={scene} by="team" options={store.teams} />
          <Drop
            name="sort"
            ui={ui}
            icon="sort"
            place="end"
            options={(['name', 'joined', 'oldest'] as const).map((key) => ({
              ...{ key, text: key === 'name' ? words.byName : words[key], on: ui.sort === key },
            }))}
            choose={(sort) => (ui.sort = sort as 'name')}
          />
        </div>
      )}
      <div class="cells heads">
        <Tick name="pick-all" on={everyPicked} press={() => toggle(page, !everyPicked)} />
        <span>{words.name}</span>
        <span>{words.role}</span>
        <span>{words.team}</span>
        <span>{words.status}</span>
        <span>{words.since}</span>
        <span />
      </div>
      <div class="rows">
        {page.map((id, index) => {
          const user = store.users[id];
          if (!user) return null;
          const picked = ui.picked.includes(id);
          return (
            <div class={`row cells ${picked ? 'on' : ''}`} key={id}>
              <Tick name={`pick-${id}`} on={picked} press={() => toggle([id], !picked)} />
              <div class="across" {...on(`user-${id}`, { press: () => edit(scene, id) })}>
                <Face person={user.name} />
                <div>
                  <div class="cut strong">{user.name}</div>
                  <div class="cut small muted">{user.email}</div>
                </div>
              </div>
              <span class="cut">{words[user.role]}</span>
              <span class="cut">{user.team}</span>
              <span>
                <span class={`chip ${user.status}`}>{words[user.status]}</span>
              </span>
              <span class="small muted">{dayText(user.joined, language)}</span>
              <Drop
                name={`act-${id}`}
                ui={ui}
                icon="more"
                kind="quiet"
                place={index > 3 ? 'end above' : 'end'}
                options={[
                  { key: 'edit', text: words.edit },
                  {
                    key: user.status === 'suspended' ? 'active' : 'suspended',
                    text: user.status === 'suspended' ? words.activate : words.suspend,
                  },
                  { key: 'delete', text: words.delete },
                ]}
                choose={(act) => {
                  if (act === 'edit') edit(scene, id);
                  else if (act === 'delete') ui.ask = [id];
                  else user.status = act as User['status'];
                }}
              />
            </div>
          );
        })}
      </div>
      <span class="grow" />
      <Pager scene={scene} count={users.length} />
    </div>
  );
}

function edit({ store, ui }: AdminScene, id: string): void {
  const user = store.users[id];
  if (user) Object.assign(ui, { page: 'edit', user: id, form: { ...user }, bad: false });
}

export function TicketTable(scene: AdminScene) {
  const { store, ui, words } = scene;
  const tickets = ticketsOf(store, ui);
  const page = tickets.slice(ui.sheet * sheetRows, (ui.sheet + 1) * sheetRows);
  const isLow = (index: number) => (index > 3 ? 'end above' : 'end');
  return (
    <div class="pane panel table tickets">
      <div class="tools">
        <SearchField scene={scene} />
        <Filter scene={scene} by="priority" options={priorities} />
        <Filter scene={scene} by="state" options={ticketStates} />
        {Object.values(ui.filters).some(Boolean) && (
          <Button name="clear" icon="close" press={() => Object.assign(ui, { filters: noFilters(), sheet: 0 })} />
        )}
      </div>
      <div class="rows">
        {page.map((id, index) => {
          const ticket = store.tickets[id];
          if (!ticket) return null;
          return (
            <div class="row cells" key={id}>
              <div>
                <div class="cut strong">{ticket.title}</div>
                <div class="cut small muted">{ticket.by}</div>
              </div>
              <Drop
                name={`priority-${id}`}
                ui={ui}
                place={isLow(index)}
                options={priorities.map((key) => ({ key, text: words[key], on: key === ticket.priority }))}
                choose={(priority) => (ticket.priority = priority as 'low')}
              >
                {words[ticket.priority]}
              </Drop>
              <Drop
                name={`agent-${id}`}
                ui={ui}
                icon="user"
                place={isLow(index)}
                options={['', ...store.agents].map((key) => ({
                  ...{ key: key || 'nobody', text: key || words.nobody, on: key === ticket.agent },
                }))}
                choose={(agent) => (ticket.agent = agent === 'nobody' ? '' : agent)}
              >
                {ticket.agent || words.nobody}
              </Drop>
              <span class={`chip ${ticket.state}`}>{words[ticket.state]}</span>
              <Button name={`state-${id}`} press={() => (ticket.state = ticket.state === 'open' ? 'closed' : 'open')}>
                {ticket.state === 'open' ? words.close : words.reopen}
              </Button>
            </div>
          );
        })}
      </div>
      <span class="grow" />
      <Pager scene={scene} count={tickets.length} />
    </div>
  );
}
