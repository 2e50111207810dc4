import type { Draft, Template } from '../appFamily.js';
import {
  type Channel,
  type ChatApp,
  type ChatStore,
  type Message,
  answersTo,
  makeChannel,
  react,
  reactions,
  removeMessage,
  say,
} from './chatStore.js';

type ChatDraft = Draft<ChatApp>;

function pickChannel({ random, store }: ChatDraft, fits: (channel: Channel) => boolean): [string, Channel] {
  return random.pick(Object.entries(store.channels).filter(([, channel]) => fits(channel)));
}

const room = ({ direct }: Channel) => !direct;

function pickMessage({ random, store }: ChatDraft, fits: (message: Message) => boolean): [string, Message] | undefined {
  const candidates = Object.entries(store.messages).filter(([, message]) => fits(message));
  return candidates.length > 0 ? random.pick(candidates) : undefined;
}

const messageTexts = ({ store }: ChatDraft, { text, by, channel }: Message) => ({
  ...{ message: text, by, channel: store.channels[channel]?.name ?? '' },
});

const change = (id: string, how: Partial<Message>) => (store: ChatStore) =>
  Object.assign(store.messages[id] ?? {}, how);

const inRoom =
  ({ store }: ChatDraft) =>
  ({ channel, thread }: Message) =>
    !thread && room(store.channels[channel]!);

export const chatTemplates: readonly Template<ChatApp>[] = [
  {
    name: 'react',
    description: 'React to a message.',
    difficulty: 2,
    steps: 6,
    en: [
      'React with {reaction} to the message {message} in {channel}.',
      'Give {message} in the channel {channel} the reaction {reaction}.',
      'In {channel}, answer {message} with the reaction {reaction} only.',
    ],
    zh: [
      '对{channel}里的消息{message}回应{reaction}。',
      '给频道{channel}中的{message}加上{reaction}回应。',
      '在{channel}里，只用{reaction}回应{message}。',
    ],
    make(draft) {
      const [id, message] = pickMessage(draft, inRoom(draft)) ?? [];
      if (!id || !message) return undefined;
      const reaction = draft.random.pick(reactions);
      return {
        texts: { ...messageTexts(draft, message), reaction: draft.words[reaction] },
        goal: (store) => react(store, id, reaction),
      };
    },
  },
  {
    name: 'favourite',
    description: 'Star a channel.',
    difficulty: 1,
    steps: 3,
    en: [
      'Star the channel {channel}.',
      'Mark the channel {channel} with a star.',
      'Make {channel} one of the channels with a star.',
    ],
    zh: ['收藏频道{channel}。', '给频道{channel}加上星标。', '把{channel}设为收藏的频道。'],
    make(draft) {
      const [id, { name }] = pickChannel(draft, ({ starred }) => !starred);
      return { texts: { channel: name }, goal: (store) => (store.channels[id]!.starred = true) };
    },
  },
  {
    name: 'mute',
    description: 'Mute or unmute a channel.',
    difficulty: 1,
    steps: 3,
    en: ['{act} the conversation {channel}.', 'Choose {act} for {channel}.'],
    zh: ['对会话{channel}设置{act}。', '在{channel}选择{act}。'],
    make(draft) {
      const [id, { name, muted }] = pickChannel(draft, () => true);
      const act = muted ? draft.words.unmute : draft.words.mute;
      return { texts: { channel: name, act }, goal: (store) => (store.channels[id]!.muted = !muted) };
    },
  },
  {
    name: 'send',
    description: 'Post a message in a channel.',
    difficulty: 2,
    steps: 5,
    en: [
      'Write {text} in the channel {channel}.',
      'Send {text} to {channel}.',
      'Post the message {text} in {channel}.',
    ],
    zh: ['在频道{channel}里发{text}。', '向{channel}发送{text}。', '把消息{text}发到{channel}。'],
    make(draft) {
      const [id, { name }] = pickChannel(draft, room);
      const text = draft.pen.note();
      return { texts: { channel: name, text }, goal: (store) => say(store, id, text) };
    },
  },
  {
    name: 'direct',
    description: 'Send a direct message to one person.',
    difficulty: 2,
    steps: 5,
    en: [
      'Tell {person} in a direct message: {text}.',
      'Send {person} the direct message {text}.',
      'Write {text} to {person} only.',
    ],
    zh: ['私信告诉{person}：{text}。', '给{person}发私信{text}。', '只对{person}写{text}。'],
    make(draft) {
      const [id, { name }] = pickChannel(draft, ({ direct }) => direct);
      const text = draft.pen.note();
      return { texts: { person: name, text }, goal: (store) => say(store, id, text) };
    },
  },
  {
    name: 'answer',
    description: 'Reply to a message in its thread.',
    difficulty: 3,
    steps: 7,
    en: [
      'Answer {message} in {channel} in its thread with {text}.',
      'Reply {text} in the thread of the message {message}, which {by} wrote in {channel}.',
      'In {channel}, open the thread of {message} and write {text}.',
    ],
    zh: [
      '在{channel}的消息{message}的话题里回复{text}。',
      '{by}在{channel}写了{message}，请在其话题中回复{text}。',
      '在{channel}里打开{message}的话题并写{text}。',
    ],
    make(draft) {
      const [id, message] = pickMessage(draft, inRoom(draft)) ?? [];
      if (!id || !message) return undefined;
      const text = draft.pen.note();
      return {
        texts: { ...messageTexts(draft, message), text },
        goal: (store) => say(store, message.channel, text, id),
      };
    },
  },
  {
    name: 'pin',
    description: 'Pin a message.',
    difficulty: 2,
    steps: 6,
    en: [
      'Pin the message {message} in {channel}.',
      'The message {message} of {by} in {channel} should be pinned.',
      'In {channel}, pin {message}.',
    ],
    zh: [
      '置顶{channel}里的消息{message}。',
      '{by}在{channel}的消息{message}应当置顶。',
      '在{channel}里把{message}置顶。',
    ],
    make(draft) {
      const [id, message] = pickMessage(draft, (one) => inRoom(draft)(one) && !one.pinned) ?? [];
      if (!id || !message) return undefined;
      return { texts: messageTexts(draft, message), goal: change(id, { pinned: true }) };
    },
  },
  {
    name: 'edit',
    description: 'Edit your own message.',
    difficulty: 3,
    steps: 8,
    en: [
      'Change your message {message} in {channel} to {text}.',
      'Edit {message}, which you wrote in {channel}: it should say {text}.',
    ],
    zh: ['把你在{channel}里的消息{message}改成{text}。', '编辑你在{channel}写的{message}，改为{text}。'],
    make(draft) {
      const { store, pen } = draft;
      const [id, message] = pickMessage(draft, ({ by, thread }) => by === store.me && !thread) ?? [];
      if (!id || !message) return undefined;
      const text = pen.note();
      return { texts: { ...messageTexts(draft, message), text }, goal: change(id, { text }) };
    },
  },
  {
    name: 'delete',
    description: 'Delete your own message.',
    difficulty: 2,
    steps: 6,
    heldOut: true,
    en: ['Delete your message {message} in {channel}.', 'Take back {message}, which you wrote in {channel}.'],
    zh: ['删除你在{channel}里的消息{message}。', '撤回你在{channel}写的{message}。'],
    make(draft) {
      const [id, message] = pickMessage(draft, ({ by, thread }) => by === draft.store.me && !thread) ?? [];
      if (!id || !message) return undefined;
      return { texts: messageTexts(draft, message), goal: (store) => removeMessage(store, id) };
    },
  },
  {
    name: 'share',
    description: 'Forward a message to another conversation.',
    difficulty: 3,
    steps: 7,
    heldOut: true,
    en: [
      'Forward the message {message} from {channel} to {target}.',
      'Pass {message}, written by {by} in {channel}, on to {target}.',
    ],
    zh: ['把{channel}里的消息{message}转发到{target}。', '将{by}在{channel}写的{message}转给{target}。'],
    make(draft) {
      const [id, message] = pickMessage(draft, inRoom(draft)) ?? [];
      if (!id || !message) return undefined;
      const [target, { name }] = pickChannel(draft, (one) => one !== draft.store.channels[message.channel]);
      return {
        texts: { ...messageTexts(draft, message), target: name },
        goal: (store) => say(store, target, message.text),
      };
    },
  },
  {
    name: 'status',
    description: 'Set your status.',
    difficulty: 2,
    steps: 6,
    en: [
      'Set your status to {text}.',
      'Change your status: it should say {text}.',
      'Let everybody see the status {text}.',
    ],
    zh: ['把你的状态设为{text}。', '修改你的状态为{text}。', '让大家看到状态{text}。'],
    make({ pen }) {
      const text = pen.note();
      return { texts: { text }, goal: (store) => (store.status = text) };
    },
  },
  {
    name: 'topic',
    description: 'Change the topic of a channel.',
    difficulty: 3,
    steps: 8,
    en: [
      'Change the topic of {channel} to {topic}.',
      'The channel {channel} gets the topic {topic}.',
      '{channel} is about {topic} from now on: set its topic.',
    ],
    zh: [
      '把频道{channel}的主题改为{topic}。',
      '频道{channel}的主题应为{topic}。',
      '{channel}从现在起讨论{topic}，请修改主题。',
    ],
    make(draft) {
      const [id, { name }] = pickChannel(draft, room);
      const topic = draft.pen.topic();
      return { texts: { channel: name, topic }, goal: (store) => (store.channels[id]!.topic = topic) };
    },
  },
  {
    name: 'newChannel',
    description: 'Create a channel with a topic.',
    difficulty: 3,
    steps: 8,
    en: [
      'Make a channel {name} with the topic {topic}.',
      'Create the channel {name}; its topic is {topic}.',
      'We need a channel called {name} about {topic}.',
    ],
    zh: [
      '新建频道{name}，主题为{topic}。',
      '创建主题是{topic}的频道{name}。',
      '我们需要一个名为{name}、主题为{topic}的频道。',
    ],
    make({ pen }) {
      const [name, topic] = [pen.newWord('group'), pen.topic()];
      return { texts: { name, topic }, goal: (store) => makeChannel(store, name, topic) };
    },
  },
  {
    name: 'whoSaid',
    description: 'Report who wrote a message.',
    difficulty: 1,
    steps: 5,
    en: ['Who wrote {message} in {channel}?', 'Answer with the name of whoever wrote {message} in {channel}.'],
    zh: ['{channel}里的{message}是谁写的？', '请回答在{channel}写下{message}的人的名字。'],
    make(draft) {
      const [id, message] = pickMessage(draft, inRoom(draft)) ?? [];
      if (!id || !message) return undefined;
      return {
        texts: messageTexts(draft, message),
        answer: message.by,
        look: { channel: message.channel, message: id },
      };
    },
  },
  {
    name: 'lastAnswer',
    description: 'Report the last reply in a thread.',
    difficulty: 2,
    steps: 6,
    en: [
      'What does the last reply in the thread of {message} in {channel} say?',
      'Open the thread of {message} in {channel} and answer with the last reply.',
    ],
    zh: ['{channel}里{message}的话题中最后一条回复是什么？', '打开{channel}中{message}的话题，回答最后一条回复。'],
    make(draft) {
      const { store } = draft;
      const [id, message] = pickMessage(draft, inRoom(draft)) ?? [];
      const last = answersTo(store, id ?? '-').at(-1);
      if (!id || !message || !last) return undefined;
      return { texts: messageTexts(draft, message), answer: last[1].text, look: { thread: id } };
    },
  },
  {
    name: 'findAndReact',
    description: 'Find a message in an unnamed conversation, and react to it.',
    difficulty: 3,
    steps: 7,
    en: [
      'Somewhere {by} wrote {message}. React to it with {reaction}.',
      'Find the message {message} and give it the reaction {reaction}.',
    ],
    zh: ['{by}在某处写了{message}。请回应{reaction}。', '找到消息{message}并给它{reaction}回应。'],
    make(draft) {
      const [id, message] = pickMessage(draft, ({ thread, by }) => !thread && by !== draft.store.me) ?? [];
      if (!id || !message) return undefined;
      const reaction = draft.random.pick(reactions);
      return {
        texts: { ...messageTexts(draft, message), reaction: draft.words[reaction] },
        goal: (store) => react(store, id, reaction),
        look: { search: true },
      };
    },
  },
  {
    name: 'catchUp',
    description: 'Pin a message, reply, create a channel, post in it, and set a status.',
    difficulty: 5,
    steps: 27,
    en: [
      'Pin {message} in {channel}, answer {other} in {place} in its thread with {text}, make a channel {name} with the topic {topic}, write {first} in it, and set your status to {status}.',
      'First make the channel {name} (topic {topic}) and post {first} there. Then pin {message} in {channel} and reply {text} in the thread of {other} in {place}. Your status becomes {status}.',
    ],
    zh: [
      '置顶{channel}里的{message}，在{place}的{other}的话题里回复{text}，新建主题为{topic}的频道{name}并在其中写{first}，再把状态设为{status}。',
      '先创建频道{name}（主题{topic}）并发{first}；然后置顶{channel}中的{message}，在{place}里{other}的话题回复{text}。你的状态改为{status}。',
    ],
    make(draft) {
      const { pen, store } = draft;
      const [id, message] = pickMessage(draft, (one) => inRoom(draft)(one) && !one.pinned) ?? [];
      const [threadRootId, threadRoot] = pickMessage(draft, (one) => inRoom(draft)(one) && one !== message) ?? [];
      if (!id || !message || !threadRootId || !threadRoot) return undefined;
      const [name, topic] = [pen.newWord('group'), pen.topic()];
      const [text, first, status] = [pen.note(), pen.note(), pen.note()];
      return {
        texts: {
          ...messageTexts(draft, message),
          ...{ other: threadRoot.text, place: store.channels[threadRoot.channel]?.name ?? '' },
          ...{ name, topic, text, first, status },
        },
        goal(aim) {
          change(id, { pinned: true })(aim);
          makeChannel(aim, name, topic);
          say(aim, 'new1', first);
          say(aim, threadRoot.channel, text, threadRootId);
          aim.status = status;
        },
      };
    },
  },
];
