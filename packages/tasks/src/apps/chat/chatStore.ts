import type { AppKind } from '../app.js';
import { newKey } from '../data/facts.js';
import type { chatWords } from './chatWords.js';

export const reactions = ['heart', 'check', 'star', 'smile'] as const;
export type Reaction = (typeof reactions)[number];

export interface Channel {
  name: string;
  direct: boolean;
  topic: string;
  muted: boolean;
  starred: boolean;
}

export interface Message {
  channel: string;
  by: string;
  text: string;
  /** `09:12`; '' for messages written during the task. */
  // eslint-disable-next-line gyre/vague-name -- a key of stored goals
  at: string;
  /** Id of the thread's first message; '' outside threads. */
  thread: string;
  pinned: boolean;
  /** Names of people by reaction. */
  reactions: Partial<Record<Reaction, string[]>>;
}

export interface ChatStore {
  me: string;
  status: string;
  channels: Record<string, Channel>;
  messages: Record<string, Message>;
}

export interface ChatUi {
  channel: string;
  thread: string;
  text: string;
  answer: string;
  search: string;
  editing?: { id: string; text: string } | undefined;
  sharing: string;
  form?: { id: string; name: string; topic: string } | undefined;
  status?: string | undefined;
}

export interface ChatApp extends AppKind {
  store: ChatStore;
  ui: ChatUi;
  word: keyof typeof chatWords;
}

export const messagesOf = ({ messages }: ChatStore, channel: string): [string, Message][] =>
  Object.entries(messages).filter(([, message]) => message.channel === channel && message.thread === '');

export const answersTo = ({ messages }: ChatStore, thread: string): [string, Message][] =>
  Object.entries(messages).filter(([, message]) => message.thread === thread);

export function searchMessages({ messages }: ChatStore, search: string): [string, Message][] {
  const sought = search.trim().toLowerCase();
  return Object.entries(messages).filter(([, { text, by }]) => `${text} ${by}`.toLowerCase().includes(sought));
}

export function say(store: ChatStore, channel: string, text: string, thread = ''): void {
  const rest = { at: '', pinned: false, reactions: {} };
  store.messages[newKey(store.messages)] = { channel, by: store.me, text: text.trim(), thread, ...rest };
}

export function react(store: ChatStore, id: string, reaction: Reaction): void {
  const message = store.messages[id];
  if (!message) return;
  const who = message.reactions[reaction] ?? [];
  const mine = who.includes(store.me);
  const after = mine ? who.filter((person) => person !== store.me) : [...who, store.me];
  if (after.length > 0) message.reactions[reaction] = after;
  else delete message.reactions[reaction];
}

export function removeMessage(store: ChatStore, id: string): void {
  for (const [answer] of answersTo(store, id)) delete store.messages[answer];
  delete store.messages[id];
}

export function makeChannel(store: ChatStore, name: string, topic: string): void {
  const defaults = { direct: false, muted: false, starred: false };
  store.channels[newKey(store.channels)] = { name: name.trim(), topic: topic.trim(), ...defaults };
}
