import type { AppKind } from '../app.js';
import { newKey } from '../data/facts.js';
import type { adminWords } from './adminWords.js';

export const roles = ['member', 'editor', 'owner'] as const;
export const statuses = ['active', 'invited', 'suspended'] as const;
export const priorities = ['low', 'normal', 'urgent'] as const;
export const ticketStates = ['open', 'closed'] as const;

export interface User {
  name: string;
  email: string;
  role: (typeof roles)[number];
  team: string;
  status: (typeof statuses)[number];
  joined: string;
}

export interface Ticket {
  title: string;
  by: string;
  priority: (typeof priorities)[number];
  state: (typeof ticketStates)[number];
  agent: string;
}

export interface AdminStore {
  today: string;
  teams: string[];
  agents: string[];
  users: Record<string, User>;
  tickets: Record<string, Ticket>;
}

export interface Filters {
  role: string;
  status: string;
  team: string;
  priority: string;
  state: string;
}

export interface AdminUi {
  page: 'home' | 'users' | 'tickets' | 'edit';
  filters: Filters;
  search: string;
  sort: 'name' | 'joined' | 'oldest';
  /** Zero-based page of the table. */
  sheet: number;
  picked: string[];
  user: string;
  form: User;
  bad: boolean;
  /** Users whose deletion awaits confirmation. */
  ask: string[];
}

export interface AdminApp extends AppKind {
  store: AdminStore;
  ui: AdminUi;
  word: keyof typeof adminWords;
}

export const sheetRows = 7;

export const noFilters = (): Filters => ({ role: '', status: '', team: '', priority: '', state: '' });

export function usersOf({ users }: AdminStore, { filters, search, sort }: AdminUi): string[] {
  const sought = search.trim().toLowerCase();
  const order = {
    name: (a: User, b: User) => (a.name < b.name ? -1 : 1),
    joined: (a: User, b: User) => (a.joined > b.joined ? -1 : 1),
    oldest: (a: User, b: User) => (a.joined < b.joined ? -1 : 1),
  }[sort];
  return Object.entries(users)
    .filter(([, user]) =>
      (['role', 'status', 'team'] as const).every((key) => !filters[key] || user[key] === filters[key]),
    )
    .filter(([, { name, email }]) => `${name} ${email}`.toLowerCase().includes(sought))
    .sort(([, a], [, b]) => order(a, b))
    .map(([id]) => id);
}

export function ticketsOf({ tickets }: AdminStore, { filters, search }: AdminUi): string[] {
  const sought = search.trim().toLowerCase();
  return Object.entries(tickets)
    .filter(([, { priority }]) => !filters.priority || priority === filters.priority)
    .filter(([, { state }]) => !filters.state || state === filters.state)
    .filter(([, { title, by }]) => `${title} ${by}`.toLowerCase().includes(sought))
    .map(([id]) => id);
}

export const emptyUser = ({ teams, today }: AdminStore): User => ({
  ...{ name: '', email: '', role: 'member', team: teams[0] ?? '', status: 'invited', joined: today },
});

export function saveUser(store: AdminStore, id: string, form: User): void {
  store.users[id || newKey(store.users)] = { ...form, name: form.name.trim(), email: form.email.trim() };
}
