import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import { type Letter, type Mail, type MailApp, answerTo, mailsOf } from './mailStore.js';

type MailKit = Kit<MailApp>;

export function solveMail(kit: MailKit): SolvedTurn | undefined {
  return makeLabel(kit) ?? changeMany(kit) ?? changeMail(kit) ?? sendLetter(kit);
}

export function lookMail(kit: MailKit, { mail, view }: { mail?: string; view?: string }): SolvedTurn | undefined {
  if (view) return view === kit.ui.view && !kit.ui.open && !kit.ui.letter ? undefined : openView(kit, view);
  return openMail(kit, mail ?? '');
}

function openView(kit: MailKit, view: string): SolvedTurn {
  const letter = discard(kit);
  return letter ?? kit.press(`view-${view}`, `it is in another place: open it`);
}

function discard(kit: MailKit): SolvedTurn | undefined {
  if (kit.ui.label !== undefined) return kit.press('label-cancel', 'no label is asked for');
  return kit.ui.letter ? kit.press('discard', 'this letter is not asked for: put it away') : undefined;
}

function listMail(kit: MailKit, id: string): SolvedTurn | undefined {
  const { ui, store } = kit;
  const away = discard(kit);
  if (away) return away;
  if (ui.open) return kit.press('back', 'back to the list');
  if (mailsOf(store, ui.view, ui.search).some(([other]) => other === id)) return undefined;
  return openView(kit, store.mails[id]?.folder ?? 'inbox');
}

function openMail(kit: MailKit, id: string): SolvedTurn | undefined {
  if (kit.ui.open === id && !kit.ui.letter) return undefined;
  return listMail(kit, id) ?? kit.press(`mail-${id}`, `open the mail "${kit.store.mails[id]?.subject}"`);
}

function makeLabel(kit: MailKit): SolvedTurn | undefined {
  const label = kit.goal.labels.find((name) => !kit.store.labels.includes(name));
  if (label === undefined) return undefined;
  if (kit.ui.label === undefined) return kit.press('new-label', `the label "${label}" is missing: make it`);
  return kit.fill('label-name', label, `"${label}" is its name`) ?? kit.press('label-create', 'create the label');
}

function changeMany(kit: MailKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const groups = new Map<string, string[]>();
  for (const [id, mail] of Object.entries(store.mails)) {
    const folder = goal.mails[id]?.folder;
    if (!folder || folder === mail.folder) continue;
    const group = `${mail.folder} ${folder}`;
    groups.set(group, [...(groups.get(group) ?? []), id]);
  }
  for (const [group, ids] of groups) {
    if (ids.length < 3) continue;
    const [first = ''] = ids;
    const folder = group.split(' ')[1] ?? '';
    const list = listMail(kit, first);
    if (list) return list;
    const stray = ui.picked.find((id) => !ids.includes(id));
    if (stray) return kit.press(`pick-${stray}`, 'this one is not meant: take its tick off');
    const visible = mailsOf(store, ui.view, ui.search).map(([id]) => id);
    const next = visible.find((id) => ids.includes(id) && !ui.picked.includes(id));
    if (next) return kit.press(`pick-${next}`, `"${store.mails[next]?.subject}" is one of them: tick it`);
    if (folder === 'archive' || folder === 'trash') return kit.press(`bulk-${folder}`, 'all are ticked: move them');
    return kit.choose('bulk-move', folder, 'all are ticked: move them');
  }
  return undefined;
}

function changeMail(kit: MailKit): SolvedTurn | undefined {
  const { store, goal } = kit;
  const ids = Object.keys(store.mails);
  for (const id of [kit.ui.open, ...ids].filter((name) => name in store.mails)) {
    const [mail, aim] = [store.mails[id], goal.mails[id]] as [Mail, Mail];
    if (mail.starred !== aim.starred) {
      const thought = `"${mail.subject}" ${aim.starred ? 'needs' : 'loses'} its star`;
      if (kit.ui.open === id && !kit.ui.letter) return kit.press('star', thought);
      return listMail(kit, id) ?? kit.press(`star-${id}`, thought);
    }
    const label = store.labels.find((name) => mail.labels.includes(name) !== aim.labels.includes(name));
    const unread = aim.unread !== kit.start.mails[id]?.unread && aim.unread !== mail.unread;
    if (!label && !unread && mail.folder === aim.folder) continue;
    const open = openMail(kit, id);
    if (open) return open;
    if (label) return kit.choose('label', label, `the label "${label}" is to be changed`);
    if (mail.folder === aim.folder) return kit.press('unread', 'mark it as unread');
    if (aim.folder !== 'inbox') return kit.press(aim.folder, `it goes to ${kit.words[aim.folder]}`);
    return kit.choose('move', aim.folder, `it goes to ${kit.words[aim.folder]}`);
  }
  return undefined;
}

const same = (a: Letter, b: Letter) =>
  a.to === b.to && a.subject === b.subject && a.body.trim() === b.body.trim() && a.re === b.re;

function sendLetter(kit: MailKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const letter = Object.values(goal.sent).find((aim) => !Object.values(store.sent).some((sent) => same(sent, aim)));
  const saved = Object.entries(goal.drafts).find(
    ([, aim]) => !Object.values(store.drafts).some((kept) => same(kept, aim)),
  );
  const aim = letter ?? saved?.[1];
  if (!aim) {
    const extra = Object.keys(store.drafts).find((id) => !(id in goal.drafts));
    return extra ? discard(kit) : undefined;
  }
  const draft = Object.keys(store.drafts).find((id) => letter && !(id in goal.drafts)) ?? '';
  const open = ui.letter?.re === aim.re && ui.letter.draft === draft ? undefined : startLetter(kit, aim, draft);
  if (open) return open;
  const person = store.people.find(({ address }) => address === aim.to);
  if (ui.letter?.to !== aim.to && person && (ui.menu === 'contacts' || ui.letter?.to === '') && !isTyped(kit)) {
    return kit.choose('contacts', aim.to, `${person.name} is one of the contacts`);
  }
  return (
    kit.fill('to', aim.to, `it goes to ${aim.to}`) ??
    kit.fill('subject', aim.subject, `the subject is "${aim.subject}"`) ??
    kit.fill('body', aim.body, 'now what it says') ??
    (letter ? kit.press('send', 'the letter is as it should be: send it') : kit.press('save', 'keep it as a draft'))
  );
}

/** With focus in the address field, the address is typed instead of picked. */
const isTyped = (kit: MailKit) => document.activeElement === kit.find('to');

function startLetter(kit: MailKit, aim: Letter, draft: string): SolvedTurn {
  const away = discard(kit);
  if (away) return away;
  if (draft) {
    if (kit.ui.view !== 'drafts' || kit.ui.open) return openView(kit, 'drafts');
    return kit.press(`letter-${draft}`, 'here is the draft: open it');
  }
  if (!aim.re) return kit.press('compose', 'a new letter is wanted');
  const open = openMail(kit, aim.re);
  if (open) return open;
  const answers = aim.subject === answerTo(kit.store, aim.re).subject;
  return kit.press(answers ? 'reply' : 'forward', answers ? 'answer it' : 'pass it on');
}
