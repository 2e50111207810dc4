import type { Draft, Template } from '../appFamily.js';
import {
  type AdminApp,
  type AdminStore,
  type Ticket,
  type User,
  priorities,
  roles,
  saveUser,
  statuses,
} from './adminStore.js';

type AdminDraft = Draft<AdminApp>;

const users = (store: AdminStore, fits: (user: User) => boolean = () => true): [string, User][] =>
  Object.entries(store.users).filter(([, user]) => fits(user));

const changeAll = (ids: readonly string[], change: Partial<User>) => (store: AdminStore) => {
  for (const id of ids) Object.assign(store.users[id] ?? {}, change);
};

const changeTicket = (id: string, change: Partial<Ticket>) => (store: AdminStore) =>
  Object.assign(store.tickets[id] ?? {}, change);

const pickTicket = ({ random, store }: AdminDraft, fits: (ticket: Ticket) => boolean = () => true) =>
  random.pick(Object.entries(store.tickets).filter(([, ticket]) => fits(ticket)));

export const adminTemplates: readonly Template<AdminApp>[] = [
  {
    name: 'suspend',
    description: 'Suspend a user.',
    difficulty: 2,
    steps: 8,
    en: [
      'Set the user {name} to {suspended}.',
      'Make {name} {suspended}.',
      'Nobody should log in as {name} any more: the status has to be {suspended}.',
    ],
    zh: [
      '把用户{name}设为{suspended}。',
      '将{name}的状态改为{suspended}。',
      '{name}不应再能登录：状态要改为{suspended}。',
    ],
    make({ random, store, words }) {
      const [id, { name }] = random.pick(users(store, ({ status }) => status !== 'suspended'));
      return { texts: { name, suspended: words.suspended }, goal: changeAll([id], { status: 'suspended' }) };
    },
  },
  {
    name: 'delete',
    description: 'Delete a user and confirm the deletion.',
    difficulty: 2,
    steps: 9,
    en: [
      'Delete the user {name}.',
      'Remove {name} from the users for good.',
      'The account of {name} is not needed any more; delete it.',
    ],
    zh: ['删除用户{name}。', '把{name}从用户中彻底删除。', '{name}的账户不再需要，请删除。'],
    make({ random, store }) {
      const [id, { name }] = random.pick(users(store));
      return { texts: { name }, goal: (aim) => delete aim.users[id] };
    },
  },
  {
    name: 'role',
    description: 'Change the role of a user.',
    difficulty: 3,
    steps: 11,
    en: ['Change the role of {name} to {role}.', 'Make {name} {role}.', '{name} gets the role {role}.'],
    zh: ['把{name}的角色改为{role}。', '将{name}设为{role}。', '{name}的角色应为{role}。'],
    make({ random, store, words }) {
      const [id, user] = random.pick(users(store));
      const role = random.pick(roles.filter((one) => one !== user.role));
      return { texts: { name: user.name, role: words[role] }, goal: changeAll([id], { role }) };
    },
  },
  {
    name: 'team',
    description: 'Move a user to another team.',
    difficulty: 3,
    steps: 11,
    en: [
      'Move {name} to the team {team}.',
      '{name} now belongs to {team}: change the team.',
      'Change the team of {name} to {team}.',
    ],
    zh: ['把{name}调到{team}团队。', '{name}现在属于{team}，请修改团队。', '将{name}的团队改为{team}。'],
    make({ random, store }) {
      const [id, user] = random.pick(users(store));
      const team = random.pick(store.teams.filter((one) => one !== user.team));
      return { texts: { name: user.name, team }, goal: changeAll([id], { team }) };
    },
  },
  {
    name: 'address',
    description: "Correct a user's email address.",
    difficulty: 3,
    steps: 11,
    en: [
      'Change the e-mail address of {name} to {email}.',
      '{name} has a new address, {email}. Enter it.',
      'The address of {name} should be {email}.',
    ],
    zh: ['把{name}的邮箱改为{email}。', '{name}有了新邮箱{email}，请填写。', '{name}的邮箱应为{email}。'],
    make({ pen, random, store }) {
      const [id, { name }] = random.pick(users(store));
      const email = `${pen.handle()}@example.org`;
      return { texts: { name, email }, goal: changeAll([id], { email }) };
    },
  },
  {
    name: 'invite',
    description: 'Invite a user with a role and a team.',
    difficulty: 3,
    steps: 11,
    en: [
      'Invite {name}, {email}, as {role} to the team {team}.',
      'Add {name} ({email}) as {role} in {team}.',
      'Send an invitation to {name}: address {email}, role {role}, team {team}.',
    ],
    zh: [
      '邀请{name}，邮箱{email}，角色{role}，团队{team}。',
      '添加{name}（{email}），角色为{role}，加入{team}。',
      '向{name}发送邀请：邮箱{email}，角色{role}，团队{team}。',
    ],
    make({ pen, random, store, words }) {
      const [name, email] = [pen.person(), `${pen.handle()}@example.org`];
      const [role, team] = [random.pick(roles), random.pick(store.teams)];
      return {
        texts: { name, email, role: words[role], team },
        goal: (aim) => saveUser(aim, '', { name, email, role, team, status: 'invited', joined: aim.today }),
      };
    },
  },
  {
    name: 'suspendTeam',
    description: 'Suspend all users of a team with a given role.',
    difficulty: 4,
    steps: 15,
    en: [
      'Set every {role} of the team {team} who is {active} to {suspended}.',
      'In the team {team}, all of role {role} and status {active} become {suspended}.',
    ],
    zh: [
      '把{team}团队里所有{active}的{role}设为{suspended}。',
      '{team}团队中角色为{role}、状态为{active}的都改成{suspended}。',
    ],
    make({ random, store, words }) {
      const [team, role] = [random.pick(store.teams), random.pick(roles)];
      const affected = users(store, (user) => user.team === team && user.role === role && user.status === 'active');
      if (affected.length < 2 || affected.length > 6) return undefined;
      return {
        texts: { team, role: words[role], active: words.active, suspended: words.suspended },
        goal: changeAll(
          affected.map(([id]) => id),
          { status: 'suspended' },
        ),
        look: { filters: { team, role, status: 'active' } },
      };
    },
  },
  {
    name: 'moveInvited',
    description: 'Move all invited users of a team to another team.',
    difficulty: 4,
    steps: 16,
    heldOut: true,
    en: [
      'Move everybody with status {status} from the team {from} to the team {to}.',
      'All users of {from} who are {status} belong to {to}: change their team.',
    ],
    zh: ['把{from}团队中状态为{status}的所有人移到{to}团队。', '{from}里所有{status}的用户应属于{to}，请修改团队。'],
    make({ random, store, words }) {
      const [from = '', to = ''] = random.shuffle(store.teams);
      const status = random.pick(statuses);
      const affected = users(store, (user) => user.team === from && user.status === status);
      if (affected.length < 3 || affected.length > 7) return undefined;
      return {
        texts: { from, to, status: words[status] },
        goal: changeAll(
          affected.map(([id]) => id),
          { team: to },
        ),
        look: { filters: { team: from, status } },
      };
    },
  },
  {
    name: 'deleteSuspended',
    description: 'Delete all suspended users of a team.',
    difficulty: 4,
    steps: 16,
    en: [
      'Delete all users of the team {team} who are {suspended}.',
      'Clean up the team {team}: delete whoever is {suspended}.',
      'Whoever is {suspended} in {team} has to be deleted.',
    ],
    zh: [
      '删除{team}团队里所有{suspended}的用户。',
      '清理{team}团队：删除{suspended}的用户。',
      '{team}中凡是{suspended}的用户都要删除。',
    ],
    make({ random, store, words }) {
      const team = random.pick(store.teams);
      const affected = users(store, (user) => user.team === team && user.status === 'suspended');
      if (affected.length < 2 || affected.length > 5) return undefined;
      return {
        texts: { team, suspended: words.suspended },
        goal: (aim) => affected.forEach(([id]) => delete aim.users[id]),
        look: { filters: { team, status: 'suspended' } },
      };
    },
  },
  {
    name: 'count',
    description: 'Report how many users have a given role and status.',
    difficulty: 2,
    steps: 6,
    chance: 0.25,
    en: [
      'How many users have the role {role} and the status {status}?',
      'Count the users who are {role} and {status}. Answer with the number.',
    ],
    zh: ['有多少用户的角色是{role}且状态是{status}？', '数一数角色为{role}、状态为{status}的用户，回答数字。'],
    make({ random, store, words }) {
      const [role, status] = [random.pick(roles), random.pick(statuses)];
      const count = users(store, (user) => user.role === role && user.status === status).length;
      if (count === 0) return undefined;
      return {
        texts: { role: words[role], status: words[status] },
        answer: count,
        look: { filters: { role, status } },
      };
    },
  },
  {
    name: 'tellAddress',
    description: "Report a user's email address.",
    difficulty: 2,
    steps: 6,
    en: [
      'What is the e-mail address of {name}?',
      'Answer with the address of the user {name}.',
      'Look up the e-mail address of {name}.',
    ],
    zh: ['{name}的邮箱是什么？', '请回答用户{name}的邮箱。', '查一下{name}的邮箱地址。'],
    make({ random, store }) {
      const [id, { name, email }] = random.pick(users(store));
      return { texts: { name }, answer: email, look: { user: id } };
    },
  },
  {
    name: 'overview',
    description: 'Report a figure from the overview.',
    difficulty: 1,
    steps: 3,
    chance: 0.15,
    en: [
      'How many users are {status}? It is on the page {home}.',
      'Answer with the number of users with status {status} from {home}.',
    ],
    zh: ['有多少用户是{status}？在{home}页面上。', '根据{home}回答状态为{status}的用户数。'],
    make({ random, store, words }) {
      const status = random.pick(statuses);
      return {
        texts: { status: words[status], home: words.home },
        answer: users(store, (user) => user.status === status).length,
        look: { page: 'home' },
      };
    },
  },
  {
    name: 'newest',
    description: 'Change the role of the newest user of a team.',
    difficulty: 4,
    steps: 12,
    heldOut: true,
    en: ['Give whoever joined the team {team} last the role {role}.', 'The newest user of {team} becomes {role}.'],
    zh: ['把{team}团队中最新加入的用户的角色设为{role}。', '{team}里最晚加入的人成为{role}。'],
    make({ random, store, words }) {
      const team = random.pick(store.teams);
      const affected = users(store, (user) => user.team === team);
      if (affected.length < 3) return undefined;
      const [id, user] = affected.reduce((best, next) => (next[1].joined > best[1].joined ? next : best));
      const role = random.pick(roles.filter((one) => one !== user.role));
      return {
        texts: { team, role: words[role] },
        goal: changeAll([id], { role }),
        look: { filters: { team }, sort: 'joined' },
      };
    },
  },
  {
    name: 'closeTicket',
    description: 'Close a ticket.',
    difficulty: 1,
    steps: 6,
    en: ['Close the ticket {title}.', 'The ticket {title} is done: close it.', 'Set the ticket {title} to {closed}.'],
    zh: ['关闭工单{title}。', '工单{title}已处理完，请关闭。', '把工单{title}设为{closed}。'],
    make(draft) {
      const [id, { title }] = pickTicket(draft, ({ state }) => state === 'open');
      return { texts: { title, closed: draft.words.closed }, goal: changeTicket(id, { state: 'closed' }) };
    },
  },
  {
    name: 'assign',
    description: 'Assign a ticket to a user and set its priority.',
    difficulty: 2,
    steps: 8,
    en: [
      'Assign the ticket {title} to {agent} and set its priority to {priority}.',
      'Give {title} to {agent}, priority {priority}.',
    ],
    zh: ['把工单{title}分配给{agent}，优先级设为{priority}。', '{title}交给{agent}，优先级{priority}。'],
    make(draft) {
      const { random, store, words } = draft;
      const [id, ticket] = pickTicket(draft, ({ state }) => state === 'open');
      const agent = random.pick(store.agents.filter((one) => one !== ticket.agent));
      const priority = random.pick(priorities.filter((one) => one !== ticket.priority));
      return {
        texts: { title: ticket.title, agent, priority: words[priority] },
        goal: changeTicket(id, { agent, priority }),
      };
    },
  },
  {
    name: 'closeUrgent',
    description: 'Close all open tickets of a given priority.',
    difficulty: 4,
    steps: 12,
    en: [
      'Close every ticket with priority {priority} that is {open}.',
      'All {open} tickets of priority {priority} are done: close them.',
    ],
    zh: ['关闭所有优先级为{priority}且{open}的工单。', '优先级{priority}、状态{open}的工单都已处理完，请关闭。'],
    make({ random, store, words }) {
      const priority = random.pick(priorities);
      const affected = Object.entries(store.tickets).filter(
        ([, it]) => it.priority === priority && it.state === 'open',
      );
      if (affected.length < 2 || affected.length > 6) return undefined;
      return {
        texts: { priority: words[priority], open: words.open },
        goal: (aim) => affected.forEach(([id]) => changeTicket(id, { state: 'closed' })(aim)),
        look: { filters: { priority, state: 'open' } },
      };
    },
  },
  {
    name: 'handOver',
    description: 'Invite one user, suspend another, move a third and resolve two tickets.',
    difficulty: 5,
    steps: 36,
    en: [
      'Invite {name}, {email}, as {role} to {team}; set {gone} to {suspended}; move {moved} to {team}; close the ticket {done} and assign {open} to {agent}.',
      '{gone} has left and becomes {suspended}. {name} ({email}) comes as {role} to {team}, and {moved} moves there as well. The ticket {open} goes to {agent}, and {done} is to be closed.',
    ],
    zh: [
      '邀请{name}（{email}）以{role}身份加入{team}；把{gone}设为{suspended}；把{moved}调到{team}；关闭工单{done}，并把{open}分配给{agent}。',
      '{gone}已离职，请设为{suspended}。{name}（{email}）以{role}身份加入{team}，{moved}也调到该团队。工单{open}交给{agent}，{done}请关闭。',
    ],
    make(draft) {
      const { pen, random, store, words } = draft;
      const [name, email] = [pen.person(), `${pen.handle()}@example.org`];
      const [role, team] = [random.pick(roles), random.pick(store.teams)];
      const [goneId, gone] = random.pick(users(store, ({ status }) => status !== 'suspended'));
      const [movedId, moved] = random.pick(users(store, (user) => user.team !== team && user !== gone));
      const [doneId, done] = pickTicket(draft, ({ state }) => state === 'open');
      const [openId, open] = pickTicket(draft, (ticket) => ticket !== done);
      const agent = random.pick(store.agents.filter((one) => one !== open.agent));
      return {
        texts: {
          ...{ name, email, role: words[role], team, gone: gone.name, moved: moved.name },
          ...{ suspended: words.suspended, done: done.title, open: open.title, agent },
        },
        goal(aim) {
          saveUser(aim, '', { name, email, role, team, status: 'invited', joined: aim.today });
          changeAll([goneId], { status: 'suspended' })(aim);
          changeAll([movedId], { team })(aim);
          changeTicket(doneId, { state: 'closed' })(aim);
          changeTicket(openId, { agent })(aim);
        },
      };
    },
  },
];
