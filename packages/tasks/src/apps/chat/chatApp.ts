import type { App } from '../appFamily.js';
import { timeText } from '../data/day.js';
import type { Pen } from '../data/pen.js';
import { type Channel, type ChatApp, type ChatStore, type Message, reactions } from './chatStore.js';
import { chatTemplates } from './chatTemplates.js';
import { chatWords } from './chatWords.js';

function drawStore(pen: Pen): ChatStore {
  const { random } = pen;
  const me = pen.person();
  const people = Array.from({ length: 5 }, () => pen.person());
  const channel = (name: string, direct: boolean): Channel => ({
    ...{ name, direct, muted: random.chance(0.2), starred: random.chance(0.2) },
    topic: direct ? '' : pen.topic(),
  });
  const channelList = [
    ...Array.from({ length: 4 }, () => channel(pen.newWord('group'), false)),
    ...people.slice(0, 3).map((person) => channel(person, true)),
  ];
  const channels = Object.fromEntries(channelList.map((one, index) => [`c${index + 1}`, one]));
  const messages: Record<string, Message> = {};
  let count = 0;
  for (const [id, { name, direct }] of Object.entries(channels)) {
    let minutes = 8 * 60 + random.between(0, 60);
    const add = (thread: string): string => {
      const key = `m${++count}`;
      const by = random.chance(0.3) ? me : direct ? name : random.pick(people);
      const seen = people.filter((person) => person !== by && random.chance(0.25));
      messages[key] = {
        ...{ channel: id, by, text: pen.note(), at: timeText((minutes += random.between(2, 25))), thread },
        pinned: thread === '' && random.chance(0.1),
        reactions: seen.length > 0 ? { [random.pick(reactions)]: seen } : {},
      };
      return key;
    };
    for (let index = random.between(4, 6); index > 0; index--) {
      const key = add('');
      if (!direct && random.chance(0.3)) for (let answer = random.between(1, 3); answer > 0; answer--) add(key);
    }
  }
  return { me, status: random.chance(0.5) ? pen.word('place') : '', channels, messages };
}

export const chatApp: App<ChatApp> = {
  name: 'chat',
  words: chatWords,
  layouts: {
    bubbles: ['flat', 'round', 'sided'],
    acts: ['more', 'smile'],
    faces: ['shown', 'none'],
    width: ['narrow', 'wide'],
  },
  styles: `
.chat .side{width:150px}
.chat.width-wide .side{width:172px}
.chat .side .item{min-height:26px}
.chat .side .me{min-height:42px}
.chat .side .item .face{width:20px;height:20px;font-size:9px}
.chat .side .me .face{width:30px;height:30px;font-size:12px}
.chat .side .item .ico.full{width:.9em;height:.9em;color:#e3a008}
.chat .talk{margin:8px}
.chat .tools .face{width:26px;height:26px;font-size:10px}
.chat .tools .grow .small{line-height:1.2}
.chat .write{border-bottom:0;border-top:1px solid var(--line);padding:7px 10px}
.message{display:flex;gap:9px;padding:6px 11px;align-items:flex-start}
.message:hover{background:color-mix(in srgb,var(--tint) 30%,transparent)}
.message .text{line-height:1.4}
.message .btn{height:24px;width:24px;color:var(--muted)}
.message .btn.main{width:auto;color:var(--on-accent)}
.message .marks{gap:5px;min-height:3px}
.message .mark{cursor:pointer;height:21px}
.message .mark .ico{width:1.1em;height:1.1em}
.message .mark.on{outline:1.5px solid var(--accent)}
.chat.faces-none .message>.face{display:none}
.chat.bubbles-round .message .text,.chat.bubbles-sided .message .text{display:inline-block;padding:5px 11px;margin:2px 0;border-radius:11px;background:var(--soft);border:1px solid var(--line)}
.chat.bubbles-round .mine .text,.chat.bubbles-sided .mine .text{background:var(--tint)}
.chat.bubbles-sided .mine{flex-direction:row-reverse}
.chat.bubbles-sided .mine .words{text-align:right}
.chat.bubbles-sided .mine .across{justify-content:flex-end}
.chat.bubbles-sided .mine .list{left:0;right:auto}
.chat .list{min-width:150px}
`,
  draw: drawStore,
  templates: chatTemplates,
};
