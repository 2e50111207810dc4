import type { Draft, Template } from '../appFamily.js';
import {
  type Folder,
  type Mail,
  type MailApp,
  type MailStore,
  answerTo,
  forwardOf,
  send,
  toggleLabel,
} from './mailStore.js';

type MailDraft = Draft<MailApp>;

const mailsIn = ({ mails }: MailStore, folder: Folder): [string, Mail][] =>
  Object.entries(mails).filter(([, mail]) => mail.folder === folder);

const pickMail = ({ random, store }: MailDraft, folder: Folder = 'inbox') => random.pick(mailsIn(store, folder));

const change = (id: string, how: (mail: Mail, store: MailStore) => void) => (store: MailStore) => {
  const mail = store.mails[id];
  if (mail) how(mail, store);
};

const named = ({ subject, from }: Mail) => ({ subject, from });

export const mailTemplates: readonly Template<MailApp>[] = [
  {
    name: 'star',
    description: 'Star an email.',
    difficulty: 1,
    steps: 4,
    en: ['Star the mail {subject}.', 'Give the mail {subject} a star.', 'Put a star on the message about {subject}.'],
    zh: ['给邮件{subject}加星标。', '把{subject}这封邮件标上星标。', '请为主题是{subject}的邮件加上星标。'],
    make(draft) {
      const [id, mail] = pickMail(draft);
      mail.starred = false;
      return { texts: named(mail), goal: change(id, (it) => (it.starred = true)) };
    },
  },
  {
    name: 'archive',
    description: 'Archive an email.',
    difficulty: 1,
    steps: 5,
    en: [
      'Archive the mail {subject} from {from}.',
      'Move {subject} to the archive.',
      'The mail {subject} can be archived.',
    ],
    zh: ['把{from}发来的邮件{subject}归档。', '将{subject}归档。', '邮件{subject}可以归档了。'],
    make(draft) {
      const [id, mail] = pickMail(draft);
      return { texts: named(mail), goal: change(id, (it) => (it.folder = 'archive')) };
    },
  },
  {
    name: 'markUnread',
    description: 'Mark an email as unread.',
    difficulty: 1,
    steps: 5,
    en: [
      'Mark the mail {subject} as unread.',
      'Make {subject} unread again.',
      'I want to read {subject} later: set it to unread.',
    ],
    zh: ['把邮件{subject}标为未读。', '让{subject}重新变成未读。', '我想以后再看{subject}：请设为未读。'],
    make(draft) {
      const [id, mail] = pickMail(draft);
      mail.unread = false;
      return { texts: named(mail), goal: change(id, (it) => (it.unread = true)) };
    },
  },
  {
    name: 'move',
    description: 'Move an email to another folder.',
    difficulty: 2,
    steps: 6,
    en: [
      'Move the mail {subject} to the folder {folder}.',
      'Put {subject} into {folder}.',
      '{subject} belongs into {folder}; move it there.',
    ],
    zh: ['把邮件{subject}移动到{folder}。', '将{subject}放入{folder}。', '{subject}应该在{folder}里，请移过去。'],
    make(draft) {
      const [id, mail] = pickMail(draft);
      const folder = draft.random.pick(['archive', 'spam', 'trash'] as const);
      return {
        texts: { ...named(mail), folder: draft.words[folder] },
        goal: change(id, (it) => (it.folder = folder)),
      };
    },
  },
  {
    name: 'label',
    description: 'Label an email.',
    difficulty: 2,
    steps: 6,
    en: [
      'Label the mail {subject} with {label}.',
      'Add the label {label} to {subject}.',
      'Tag the message {subject} as {label}.',
    ],
    zh: ['给邮件{subject}加上标签{label}。', '为{subject}添加{label}标签。', '把{subject}这封邮件打上{label}标签。'],
    make(draft) {
      const [id, mail] = pickMail(draft);
      const label = draft.random.pick(draft.store.labels);
      if (mail.labels.includes(label)) return undefined;
      return { texts: { ...named(mail), label }, goal: change(id, (it, store) => toggleLabel(store, it, label)) };
    },
  },
  {
    name: 'restore',
    description: 'Restore an email from the bin or from spam.',
    difficulty: 2,
    steps: 6,
    en: [
      'Bring the mail {subject} back from {folder} to {inbox}.',
      'Restore {subject}: move it from {folder} to {inbox}.',
      '{subject} is in {folder} by mistake. Move it to {inbox}.',
    ],
    zh: [
      '把{folder}里的邮件{subject}移回{inbox}。',
      '恢复{subject}：从{folder}移到{inbox}。',
      '{subject}被误放在{folder}，请移到{inbox}。',
    ],
    make(draft) {
      const folder = draft.random.pick(['spam', 'trash'] as const);
      const [id, mail] = pickMail(draft, folder);
      return {
        texts: { ...named(mail), folder: draft.words[folder], inbox: draft.words.inbox },
        goal: change(id, (it) => (it.folder = 'inbox')),
      };
    },
  },
  {
    name: 'reply',
    description: 'Reply to an email with a given text.',
    difficulty: 3,
    steps: 8,
    en: [
      'Reply {text} to the mail {subject}.',
      'Answer the mail {subject} with {text}.',
      'Write back {text} to {from} about {subject}.',
    ],
    zh: [
      '回复邮件{subject}：{text}。',
      '用{text}回复{from}的邮件{subject}。',
      '请就{subject}给{from}回信，内容是{text}。',
    ],
    make(draft) {
      const [id, mail] = pickMail(draft);
      const text = draft.pen.note();
      return {
        texts: { ...named(mail), text },
        goal: (store) => send(store, { ...answerTo(store, id), body: text }),
      };
    },
  },
  {
    name: 'forward',
    description: 'Forward an email to an address.',
    difficulty: 3,
    steps: 8,
    en: [
      'Forward the mail {subject} to {address}.',
      'Pass {subject} on to {address}.',
      'Send {address} a copy of the mail {subject}; write nothing else.',
    ],
    zh: [
      '把邮件{subject}转发给{address}。',
      '将{subject}转给{address}。',
      '请把{subject}转发到{address}，不用另写内容。',
    ],
    make(draft) {
      const [id, mail] = pickMail(draft);
      const address = `${draft.pen.handle()}@example.org`;
      return {
        texts: { ...named(mail), address },
        goal: (store) => send(store, { ...forwardOf(store, id), to: address }),
      };
    },
  },
  {
    name: 'compose',
    description: 'Send an email with a subject and a text to an address.',
    difficulty: 3,
    steps: 9,
    en: [
      'Send {address} a mail with the subject {title} that says {text}.',
      'Write to {address}: subject {title}, message {text}.',
      'Compose a mail to {address}. Its subject is {title} and its text is {text}.',
    ],
    zh: [
      '给{address}发一封邮件，主题是{title}，内容是{text}。',
      '写信给{address}：主题{title}，正文{text}。',
      '新建邮件发给{address}，主题填{title}，正文填{text}。',
    ],
    make({ pen }) {
      const [address, title, text] = [`${pen.handle()}@example.org`, pen.topic(), pen.note()];
      return {
        texts: { address, title, text },
        goal: (store) => send(store, { to: address, subject: title, body: text, re: '' }),
      };
    },
  },
  {
    name: 'composeToContact',
    description: 'Send an email to a contact.',
    difficulty: 3,
    steps: 9,
    en: [
      'Send {person} from the contacts a mail with the subject {title} and the text {text}.',
      'Write to {person}, who is in the contacts: subject {title}, message {text}.',
    ],
    zh: ['给联系人{person}发邮件，主题{title}，内容{text}。', '写信给通讯录里的{person}：主题{title}，正文{text}。'],
    make({ pen, random, store }) {
      const { name, address } = random.pick(store.people);
      const [title, text] = [pen.topic(), pen.note()];
      return {
        texts: { person: name, title, text },
        goal: (aim) => send(aim, { to: address, subject: title, body: text, re: '' }),
      };
    },
  },
  {
    name: 'saveDraft',
    description: 'Write an email and save it as a draft.',
    difficulty: 3,
    steps: 9,
    heldOut: true,
    en: [
      'Write a draft to {address} with the subject {title} and the text {text}. Save it and do not send it.',
      'Prepare a mail to {address}, subject {title}, message {text}, and keep it as a draft.',
    ],
    zh: [
      '写一封给{address}的草稿，主题{title}，内容{text}。只保存，不发送。',
      '准备一封发给{address}的邮件，主题{title}，正文{text}，存为草稿。',
    ],
    make({ pen }) {
      const [address, title, text] = [`${pen.handle()}@example.org`, pen.topic(), pen.note()];
      return {
        texts: { address, title, text },
        goal: (store) => {
          store.drafts.new1 = { to: address, subject: title, body: text, re: '' };
        },
      };
    },
  },
  {
    name: 'sendDraft',
    description: 'Add an address to a draft and send it.',
    difficulty: 3,
    steps: 7,
    en: [
      'Open the draft {title}, address it to {address} and send it.',
      'Send the draft {title} to {address}.',
      'Finish the draft {title}: the recipient is {address}. Then send it.',
    ],
    zh: [
      '打开草稿{title}，收件人填{address}，然后发送。',
      '把草稿{title}发给{address}。',
      '完成草稿{title}：收件人是{address}，然后发出。',
    ],
    make({ pen, random, store }) {
      const [id, draft] = random.pick(Object.entries(store.drafts));
      const address = `${pen.handle()}@example.org`;
      return { texts: { title: draft.subject, address }, goal: (aim) => send(aim, { ...draft, to: address }, id) };
    },
  },
  {
    name: 'newLabel',
    description: 'Create a label and add it to an email.',
    difficulty: 4,
    steps: 9,
    heldOut: true,
    en: [
      'Create the label {label} and put it on the mail {subject}.',
      'Make a new label {label}, then label {subject} with it.',
    ],
    zh: ['新建标签{label}，并加到邮件{subject}上。', '创建一个{label}标签，然后给{subject}加上。'],
    make(draft) {
      const [id, mail] = pickMail(draft);
      const label = draft.pen.newWord('group');
      return {
        texts: { ...named(mail), label },
        goal: (store) => {
          store.labels.push(label);
          store.mails[id]?.labels.push(label);
        },
      };
    },
  },
  {
    name: 'clearSender',
    description: 'Delete all emails from one person in the inbox.',
    difficulty: 4,
    steps: 9,
    en: [
      'Delete every mail from {from} in {inbox}.',
      'Move all mails that {from} sent from {inbox} to {trash}.',
      'I need nothing of {from} in {inbox}: put those mails into {trash}.',
    ],
    zh: [
      '删除{inbox}里{from}发来的所有邮件。',
      '把{inbox}中{from}的全部邮件移到{trash}。',
      '{inbox}里{from}的邮件都不要了，请放进{trash}。',
    ],
    make({ random, store, words }) {
      const from = random.pick(store.people).name;
      const matches = mailsIn(store, 'inbox').filter(([, mail]) => mail.from === from);
      if (matches.length < 2 || matches.length > 4) return undefined;
      return {
        texts: { from, inbox: words.inbox, trash: words.trash },
        goal: (aim) => matches.forEach(([id]) => change(id, (mail) => (mail.folder = 'trash'))(aim)),
      };
    },
  },
  {
    name: 'archiveStarred',
    description: 'Archive all starred emails in the inbox.',
    difficulty: 4,
    steps: 11,
    en: [
      'Archive all starred mails of {inbox}.',
      'Every mail in {inbox} with a star goes to {archive}.',
      'Clean up: put the starred mails of {inbox} into {archive}.',
    ],
    zh: [
      '把{inbox}里所有加星标的邮件归档。',
      '{inbox}中有星标的邮件都移到{archive}。',
      '整理一下：{inbox}里带星标的邮件放进{archive}。',
    ],
    make({ store, words }) {
      const matches = mailsIn(store, 'inbox').filter(([, mail]) => mail.starred);
      if (matches.length < 2 || matches.length > 5) return undefined;
      return {
        texts: { inbox: words.inbox, archive: words.archive },
        goal: (aim) => matches.forEach(([id]) => change(id, (mail) => (mail.folder = 'archive'))(aim)),
      };
    },
  },
  {
    name: 'findCode',
    description: 'Report the reference in an email.',
    difficulty: 2,
    steps: 6,
    en: [
      'Which reference is given in the mail {subject} from {from}? Answer with the number.',
      'Find the reference number in the mail {subject}.',
      'Answer with the reference that {from} gives in {subject}.',
    ],
    zh: [
      '{from}的邮件{subject}里给出的编号是多少？请回答数字。',
      '找出邮件{subject}里的编号。',
      '请回答{from}在{subject}中写的编号。',
    ],
    make(draft) {
      const [id, mail] = draft.random.pick(Object.entries(draft.store.mails));
      const code = /\d{5}/.exec(mail.body)?.[0];
      if (!code || (mail.folder !== 'inbox' && mail.folder !== 'archive')) return undefined;
      return { texts: named(mail), answer: code, look: { mail: id } };
    },
  },
  {
    name: 'countLabel',
    description: 'Report how many emails have a label.',
    difficulty: 2,
    steps: 4,
    chance: 0.3,
    en: [
      'How many mails have the label {label}?',
      'Count the mails with the label {label} and answer with the number.',
    ],
    zh: ['有多少封邮件带有标签{label}？', '数一数有{label}标签的邮件，回答数字。'],
    make({ random, store }) {
      const label = random.pick(store.labels);
      const count = Object.values(store.mails).filter((mail) => mail.labels.includes(label)).length;
      if (count === 0 || count > 6) return undefined;
      return { texts: { label }, answer: count, look: { view: `label:${label}` } };
    },
  },
  {
    name: 'sortOut',
    description: 'Star one email, label another, archive one, reply to one and delete one.',
    difficulty: 5,
    steps: 24,
    en: [
      'Star {a}, label {b} with {label}, archive {c}, reply {text} to {d}, and delete {e}.',
      'Work through {inbox}: {a} gets a star, {b} the label {label}, {c} goes to {archive}, {e} to {trash}, and {d} gets the reply {text}.',
    ],
    zh: [
      '给{a}加星标，给{b}加标签{label}，把{c}归档，回复{d}：{text}，并删除{e}。',
      '处理{inbox}：{a}加星标，{b}加{label}标签，{c}移到{archive}，{e}移到{trash}，{d}回复{text}。',
    ],
    make({ pen, random, store, words }) {
      const five = random.shuffle(mailsIn(store, 'inbox')).slice(0, 5);
      const [a, b, c, d, e] = five as [[string, Mail], [string, Mail], [string, Mail], [string, Mail], [string, Mail]];
      const [label, text] = [random.pick(store.labels), pen.note()];
      a[1].starred = false;
      b[1].labels = [];
      return {
        texts: {
          ...{ a: a[1].subject, b: b[1].subject, c: c[1].subject, d: d[1].subject, e: e[1].subject },
          ...{ label, text, inbox: words.inbox, archive: words.archive, trash: words.trash },
        },
        goal(aim) {
          change(a[0], (mail) => (mail.starred = true))(aim);
          change(b[0], (mail) => (mail.labels = [label]))(aim);
          change(c[0], (mail) => (mail.folder = 'archive'))(aim);
          change(e[0], (mail) => (mail.folder = 'trash'))(aim);
          send(aim, { ...answerTo(aim, d[0]), body: text });
        },
      };
    },
  },
];
