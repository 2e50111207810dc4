import type { App } from '../appFamily.js';
import { dayAfter } from '../data/day.js';
import type { Pen } from '../data/pen.js';
import { type AdminApp, type AdminStore, type Ticket, type User, roles, statuses, priorities } from './adminStore.js';
import { adminTemplates } from './adminTemplates.js';
import { adminWords } from './adminWords.js';

function drawStore(pen: Pen): AdminStore {
  const { random } = pen;
  const today = dayAfter('2026-02-01', pen.number(1, 300));
  const teams = Array.from({ length: 4 }, () => pen.newWord('group'));
  const ages = random.shuffle(Array.from({ length: 300 }, (_, day) => day + 1));
  const count = random.between(26, 34);
  const users = Array.from({ length: count }, (_, index): User => ({
    name: pen.person(),
    email: `${pen.handle()}@example.com`,
    role: random.pick([...roles, 'member']),
    team: random.pick(teams),
    status: random.pick([...statuses, 'active', 'active']),
    joined: dayAfter(today, -(ages[index] ?? 0)),
  }));
  const agents = Array.from({ length: 4 }, () => pen.person());
  const tickets = Array.from({ length: random.between(11, 16) }, (): Ticket => ({
    title: pen.topic(),
    by: random.pick(users.slice(0, 6)).name,
    priority: random.pick(priorities),
    state: random.chance(0.75) ? 'open' : 'closed',
    agent: random.chance(0.6) ? random.pick(agents) : '',
  }));
  return {
    today,
    teams,
    agents,
    users: Object.fromEntries(users.map((user, index) => [`u${index + 1}`, user])),
    tickets: Object.fromEntries(tickets.map((ticket, index) => [`t${index + 1}`, ticket])),
  };
}

export const adminApp: App<AdminApp> = {
  name: 'admin',
  words: adminWords,
  layouts: { faces: ['shown', 'none'], cards: ['four', 'two'], chips: ['filled', 'plain'], frame: ['card', 'flush'] },
  styles: `
.admin .side{width:126px}
.admin .side .item{min-height:34px}
.admin .pane{margin:8px}
.admin.frame-flush .pane{margin:0;border-radius:0;box-shadow:none}
.admin .tools{padding:5px 8px;gap:5px}
.admin .tools .btn{padding:0 7px}
.admin .tools .find{max-width:none;min-width:100px}
.admin .cells{display:grid;grid-template-columns:18px minmax(0,2.1fr) minmax(0,1fr) minmax(0,1fr) minmax(0,1.15fr) 52px 28px;gap:8px;align-items:center;padding:3px 9px;cursor:default}
.admin .tickets .cells{grid-template-columns:minmax(0,1fr) 88px 148px 62px 80px}
.admin .tickets .drop .btn,.admin .tickets .row>.btn{width:100%;justify-content:flex-start}
.admin .tickets .drop .btn span{flex:1;overflow:hidden;text-overflow:ellipsis;text-align:left}
.admin .heads{color:var(--muted);font-size:.86em;min-height:26px;border-bottom:1px solid var(--line)}
.admin .rows .row{height:45px;margin:0}
.admin.rows-boxed .rows{padding:2px 5px}
.admin.rows-boxed .rows .row{height:43px;margin-bottom:2px}
.admin .rows .across{cursor:pointer}
.admin .rows .face{width:26px;height:26px;font-size:10px}
.admin.faces-none .rows .face{display:none}
.admin .chip.active,.admin .chip.open{background:#2f9e4433}
.admin .chip.suspended{background:#dc3a3433}
.admin.chips-plain .chip{background:none;padding:0}
.admin .pager{padding:6px 9px;gap:4px;border-top:1px solid var(--line)}
.admin .pager .btn{height:25px;padding:0 8px}
.admin .home{gap:12px}
.admin.frame-flush .home{padding:10px}
.cards{display:grid;grid-template-columns:repeat(4,1fr);gap:10px}
.admin.cards-two .cards{grid-template-columns:repeat(2,1fr)}
.card{padding:10px 13px;display:flex;flex-direction:column}
.card .figure{font-size:1.9em;font-weight:700;color:var(--accent)}
.chart{padding:12px 16px}
.chart .columns{display:flex;align-items:flex-end;justify-content:space-around;height:205px}
.chart .column{display:flex;flex-direction:column;align-items:center;gap:4px}
.chart .column i{width:46px;background:var(--accent);border-radius:4px 4px 0 0}
.admin .form{padding:16px 18px}
.admin .wide{gap:18px}
`,
  draw: drawStore,
  templates: adminTemplates,
};
