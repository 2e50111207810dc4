import { fillWording } from '../../family/wording.js';
import type { App } from '../appFamily.js';
import { dayAfter } from '../data/day.js';
import type { Pen } from '../data/pen.js';
import type { Folder, Mail, MailApp, MailStore } from './mailStore.js';
import { mailTemplates } from './mailTemplates.js';
import { mailWords } from './mailWords.js';

const bodies = {
  en: [
    'Hello, {note}. Let me know what you think about it.',
    'Hi, {note}. I have put everything into one place so that you can read it in peace. Best wishes',
    '{note}. Could you answer by the end of the week? Thank you very much.',
    'Just a short word: {note}. We can talk about the rest tomorrow.',
    '{note}. The reference is {code}, please keep it for later.',
  ],
  zh: [
    '你好，{note}。有什么想法请告诉我。',
    '{note}。所有内容都放在一起了，你可以慢慢看。祝好',
    '{note}。周末之前能回复吗？非常感谢。',
    '简单说一下：{note}。其余的明天再谈。',
    '{note}。编号是{code}，请保存好。',
  ],
} as const;

function drawStore(pen: Pen): MailStore {
  const { random } = pen;
  const today = dayAfter('2026-01-10', pen.number(1, 300));
  const people = Array.from({ length: random.between(6, 8) }, () => ({
    name: pen.person(),
    address: `${pen.handle()}@example.com`,
  }));
  const labels = Array.from({ length: 3 }, () => pen.newWord('group'));
  const drawMail = (folder: Folder): Mail => ({
    from: random.pick(people).name,
    subject: pen.topic(),
    body: fillWording(random.pick(bodies[pen.language]), { note: pen.note(), code: pen.digits(5) }),
    day: dayAfter(today, -random.between(0, 40)),
    folder,
    unread: folder === 'inbox' && random.chance(0.4),
    starred: random.chance(0.2),
    labels: labels.filter(() => random.chance(0.15)),
  });
  const count = { inbox: random.between(11, 15), archive: random.between(2, 4), spam: random.between(1, 3), trash: 2 };
  const mails = (Object.entries(count) as [Folder, number][]).flatMap(([folder, many]) =>
    Array.from({ length: many }, () => drawMail(folder)),
  );
  const drafts = Array.from({ length: 2 }, () => ({ to: '', subject: pen.topic(), body: pen.note(), re: '' }));
  return {
    me: pen.person(),
    today,
    mails: Object.fromEntries(mails.map((mail, index) => [`m${index + 1}`, mail])),
    sent: {
      s1: { to: random.pick(people).address, subject: pen.topic(), body: pen.note(), re: '' },
    },
    drafts: Object.fromEntries(drafts.map((draft, index) => [`d${index + 1}`, draft])),
    labels,
    people,
  };
}

export const mailApp: App<MailApp> = {
  name: 'mail',
  words: mailWords,
  layouts: { faces: ['shown', 'none'], preview: ['long', 'short'], lines: ['one', 'two'], gap: ['air', 'flush'] },
  styles: `
.mail .side>.btn{margin-bottom:6px;height:32px}
.mail .inner{padding:8px}
.mail.gap-flush .inner{padding:0}
.mail.gap-flush .panel{border-radius:0;border-width:0 1px;box-shadow:none}
.mail-row{min-height:36px}
.mail-row .star,.letter .star{color:var(--muted);cursor:pointer}
.mail-row .star.on,.letter .star.on{color:#e3a008}
.mail-row .texts{flex:1;display:flex;gap:10px;align-items:baseline}
.mail-row .from{flex:none;width:110px}
.mail-row .subject{flex:1}
.mail.lines-two .texts{flex-direction:column;gap:1px}
.mail.lines-two .from,.mail.lines-two .subject{width:100%}
.mail-row.unread .from,.mail-row.unread .subject{font-weight:700}
.mail-row .plain{font-weight:400}
.mail-row .face{width:26px;height:26px;font-size:11px}
.mail .letter{padding:14px 16px;display:flex;flex-direction:column;gap:14px}
.mail .letter .text{line-height:1.6;min-height:90px}
.mail .writer{padding:12px}
.mail .writer .what{flex:none;width:60px}
.mail .list{max-height:250px}
.mail .side .item{min-height:25px}
`,
  draw: drawStore,
  templates: mailTemplates,
};
