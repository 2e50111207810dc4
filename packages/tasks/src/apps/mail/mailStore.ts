import type { AppKind } from '../app.js';
import { newKey } from '../data/facts.js';
import type { mailWords } from './mailWords.js';

export type Folder = 'inbox' | 'archive' | 'spam' | 'trash';
export const folders: readonly Folder[] = ['inbox', 'archive', 'spam', 'trash'];

export interface Mail {
  from: string;
  subject: string;
  body: string;
  day: string;
  folder: Folder;
  unread: boolean;
  starred: boolean;
  labels: string[];
}

/** A mail being written. `re` is the mail that it answers or forwards, '' for none. */
export interface Letter {
  to: string;
  subject: string;
  body: string;
  re: string;
}

export interface MailStore {
  me: string;
  today: string;
  mails: Record<string, Mail>;
  sent: Record<string, Letter>;
  drafts: Record<string, Letter>;
  labels: string[];
  people: { name: string; address: string }[];
}

export interface MailUi {
  /** A folder, `sent`, `drafts`, `starred`, or `label:NAME`. */
  view: string;
  open: string;
  search: string;
  picked: string[];
  letter?: (Letter & { draft: string }) | undefined;
  label?: string | undefined;
}

export interface MailApp extends AppKind {
  store: MailStore;
  ui: MailUi;
  word: keyof typeof mailWords;
}

export function mailsOf({ mails }: MailStore, view: string, search: string): [string, Mail][] {
  const sought = search.trim().toLowerCase();
  return Object.entries(mails)
    .filter(([, mail]) => {
      if (view === 'starred') return mail.starred;
      if (view.startsWith('label:')) return mail.labels.includes(view.slice(6));
      return mail.folder === view;
    })
    .filter(([, { from, subject, body }]) => `${from}\n${subject}\n${body}`.toLowerCase().includes(sought))
    .sort(([, a], [, b]) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0));
}

/** Sorts labels, so that the order of choosing does not count. */
export function toggleLabel(store: MailStore, mail: Mail, label: string): void {
  const has = mail.labels.includes(label);
  mail.labels = store.labels.filter((other) => (other === label ? !has : mail.labels.includes(other)));
}

export function answerTo(store: MailStore, id: string): Letter {
  const mail = store.mails[id];
  const person = store.people.find(({ name }) => name === mail?.from);
  return { to: person?.address ?? '', subject: `Re: ${mail?.subject ?? ''}`, body: '', re: id };
}

export function forwardOf(store: MailStore, id: string): Letter {
  return { to: '', subject: `Fwd: ${store.mails[id]?.subject ?? ''}`, body: '', re: id };
}

export function send(store: MailStore, { to, subject, body, re }: Letter, draft = ''): void {
  store.sent[newKey(store.sent)] = { to: to.trim(), subject: subject.trim(), body: body.trim(), re };
  if (draft) delete store.drafts[draft];
}
