import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import { type ChatApp, type Message, reactions } from './chatStore.js';

type ChatKit = Kit<ChatApp>;

/** A question's subject, or that the target has to be searched for. */
export interface ChatHint {
  readonly channel?: string;
  readonly thread?: string;
  readonly message?: string;
  readonly search?: boolean;
}

export function solveChat(kit: ChatKit): SolvedTurn | undefined {
  return channels(kit) ?? status(kit) ?? change(kit) ?? write(kit);
}

export function lookChat(kit: ChatKit, { channel, thread, message }: ChatHint): SolvedTurn | undefined {
  if (thread) return openThread(kit, thread);
  const there = open(kit, channel ?? '');
  return there ?? (message ? kit.show(`message-${message}`) : undefined);
}

function close(kit: ChatKit): SolvedTurn | undefined {
  const { ui } = kit;
  if (ui.form) return kit.press('form-cancel', 'this is not asked for');
  if (ui.status !== undefined) return kit.press('status-cancel', 'this is not asked for');
  if (ui.sharing) return kit.press('share-cancel', 'this is not asked for');
  return undefined;
}

function open(kit: ChatKit, channel: string): SolvedTurn | undefined {
  const { ui, store } = kit;
  const away = close(kit);
  if (away) return away;
  if (ui.search) return kit.fill('search', '', 'no search is needed');
  if (ui.thread && store.messages[ui.thread]?.channel === channel) {
    return kit.press('thread-close', 'out of the thread');
  }
  if (ui.channel === channel && !ui.thread) return undefined;
  return kit.press(`channel-${channel}`, `go to "${store.channels[channel]?.name}"`);
}

function openThread(kit: ChatKit, id: string): SolvedTurn | undefined {
  const { ui, store } = kit;
  if (ui.thread === id && !ui.search) return close(kit);
  return open(kit, store.messages[id]?.channel ?? '') ?? kit.press(`thread-${id}`, 'open the thread of this message');
}

function reach(kit: ChatKit, id: string): SolvedTurn | undefined {
  const { store, ui } = kit;
  const message = store.messages[id];
  if (kit.has(`act-${id}`)) return close(kit);
  if ((kit.hint as ChatHint | undefined)?.search) {
    const away = close(kit);
    const text = message?.text ?? '';
    if (away) return away;
    return kit.fill('search', text, 'where is it? Search') ?? kit.press(`result-${id}`, 'there it is');
  }
  if (message?.thread) return openThread(kit, message.thread);
  return open(kit, message?.channel ?? ui.channel);
}

function channels(kit: ChatKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const created = Object.entries(goal.channels).find(([id]) => !(id in store.channels))?.[1];
  if (created) {
    if (ui.form?.id !== '') return close(kit) ?? kit.press('new-channel', `the channel "${created.name}" is missing`);
    return (
      kit.fill('form-name', created.name, `"${created.name}" is its name`) ??
      kit.fill('form-topic', created.topic, 'now what it is about') ??
      kit.press('form-done', 'make the channel')
    );
  }
  for (const [id, channel] of Object.entries(store.channels)) {
    const aim = goal.channels[id];
    if (!aim) continue;
    if (channel.topic !== aim.topic) {
      if (ui.form?.id !== id) return open(kit, id) ?? kit.press('topic', 'the topic has to change');
      return kit.fill('form-topic', aim.topic, 'this is the topic') ?? kit.press('form-done', 'save the topic');
    }
    if (channel.muted !== aim.muted) return open(kit, id) ?? kit.press('mute', 'this channel');
    if (channel.starred !== aim.starred) return open(kit, id) ?? kit.press('favourite', 'this channel');
  }
  return undefined;
}

function status(kit: ChatKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  if (store.status === goal.status) return undefined;
  if (ui.status === undefined) return close(kit) ?? kit.press('status', 'the status is changed here');
  return kit.fill('status-text', goal.status, `"${goal.status}" it is`) ?? kit.press('status-save', 'save it');
}

function change(kit: ChatKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  for (const [id, message] of Object.entries(store.messages)) {
    if (id.startsWith('new')) continue;
    const aim = goal.messages[id];
    const act = (key: string, thought: string) => reach(kit, id) ?? kit.choose(`act-${id}`, key, thought);
    if (!aim) return message.by === store.me ? act('delete', `"${message.text}" has to go`) : undefined;
    if (message.text !== aim.text) {
      if (ui.editing?.id !== id || !kit.has('edit-text')) return act('edit', `"${message.text}" has to change`);
      return kit.fill('edit-text', aim.text, 'this is what it should say') ?? kit.press('edit-save', 'save it');
    }
    if (message.pinned !== aim.pinned) return act('pin', `"${message.text}" is the message`);
    const reaction = reactions.find((key) => mark(message, key, store.me) !== mark(aim, key, store.me));
    if (reaction) return act(reaction, `"${message.text}" is the message`);
  }
  return undefined;
}

const mark = ({ reactions: all }: Message, key: (typeof reactions)[number], me: string) =>
  all[key]?.includes(me) ?? false;

const same = (a: Message, b: Message) => a.channel === b.channel && a.text === b.text && a.thread === b.thread;

function write(kit: ChatKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const written = Object.entries(store.messages).filter(([id]) => id.startsWith('new'));
  const wrong = written.find(([, message]) => !Object.values(goal.messages).some((aim) => same(message, aim)));
  if (wrong)
    return reach(kit, wrong[0]) ?? kit.choose(`act-${wrong[0]}`, 'delete', 'this should not have been written');
  const aim = Object.entries(goal.messages).find(
    ([id, message]) => id.startsWith('new') && !written.some(([, other]) => same(other, message)),
  )?.[1];
  if (!aim) return undefined;
  const source = Object.entries(store.messages).find(
    ([id, { text }]) => !id.startsWith('new') && text === aim.text,
  )?.[0];
  if (source) {
    if (ui.sharing === source) return kit.press(`share-${aim.channel}`, `to "${store.channels[aim.channel]?.name}"`);
    return reach(kit, source) ?? kit.choose(`act-${source}`, 'share', 'this is to be passed on');
  }
  if (aim.thread) {
    return (
      openThread(kit, aim.thread) ??
      kit.fill('answer', aim.text, 'write the answer') ??
      kit.press('answer-send', 'send the answer')
    );
  }
  return open(kit, aim.channel) ?? kit.fill('text', aim.text, 'write the message') ?? kit.press('send', 'send it');
}
