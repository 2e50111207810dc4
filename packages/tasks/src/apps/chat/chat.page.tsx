import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Dialog, Face, Field, Find, Icon, Labelled, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { lookChat, solveChat } from './chatSolver.js';
import { type ChatApp, answersTo, searchMessages, makeChannel, messagesOf, say } from './chatStore.js';
import { MessageRow } from './chatMessage.js';

type ChatScene = Scene<ChatApp>;

function open({ ui }: ChatScene, channel: string): void {
  Object.assign(ui, { channel, thread: '', text: '', search: '', editing: undefined });
}

function Side(scene: ChatScene) {
  const { store, ui, words } = scene;
  const item = (id: string) => {
    const channel = store.channels[id];
    if (!channel) return null;
    return (
      <div
        key={id}
        class={`item ${ui.channel === id && !ui.search ? 'on' : ''}`}
        {...on(`channel-${id}`, { press: () => open(scene, id) })}
      >
        {channel.direct ? <Face person={channel.name} /> : <Icon name="hash" />}
        <span>{channel.name}</span>
        {channel.starred && <Icon name="star" full />}
        {channel.muted && <span class="count">{words.mute}</span>}
      </div>
    );
  };
  const ids = Object.keys(store.channels);
  return (
    <div class="side">
      <div class="item me" {...on('status', { press: () => (ui.status = store.status) })}>
        <Face person={store.me} />
        <div>
          <div class="cut strong">{store.me}</div>
          <div class="cut small muted">{store.status || words.status}</div>
        </div>
      </div>
      <div class="head">{words.channels}</div>
      {ids.filter((id) => !store.channels[id]?.direct).map(item)}
      <div class="item muted" {...on('new-channel', { press: () => (ui.form = { id: '', name: '', topic: '' }) })}>
        <Icon name="plus" />
        <span>{words.newChannel}</span>
      </div>
      <div class="head">{words.direct}</div>
      {ids.filter((id) => store.channels[id]?.direct).map(item)}
    </div>
  );
}

function Talk(scene: ChatScene) {
  const { store, ui, words } = scene;
  const channel = store.channels[ui.channel];
  if (!channel) return null;
  const send = () => {
    if (!ui.text.trim()) return;
    say(store, ui.channel, ui.text);
    ui.text = '';
  };
  return (
    <div class="pane panel talk">
      <div class="tools">
        {channel.direct ? <Face person={channel.name} /> : <Icon name="hash" />}
        <div class="grow">
          <div class="strong cut">{channel.name}</div>
          {channel.topic && <div class="small muted cut">{channel.topic}</div>}
        </div>
        <Button
          name="favourite"
          icon="star"
          full={channel.starred}
          kind="quiet"
          press={() => (channel.starred = !channel.starred)}
        />
        {!channel.direct && (
          <Button
            name="topic"
            kind="quiet"
            press={() => (ui.form = { id: ui.channel, name: channel.name, topic: channel.topic })}
          >
            {words.topic}
          </Button>
        )}
        <Button name="mute" icon="bell" kind="quiet" press={() => (channel.muted = !channel.muted)}>
          {channel.muted ? words.unmute : words.mute}
        </Button>
      </div>
      <div class="scroll" key={ui.channel}>
        {messagesOf(store, ui.channel).map(([id, message]) => (
          <MessageRow key={id} scene={scene} id={id} message={message} />
        ))}
      </div>
      <div class="tools write">
        <Field name="text" hint={words.write} value={ui.text} type={(text) => (ui.text = text)} enter={send} />
        <Button name="send" icon="send" kind="main" press={send} />
      </div>
    </div>
  );
}

function Thread(scene: ChatScene) {
  const { store, ui, words } = scene;
  const first = store.messages[ui.thread];
  if (!first) return null;
  const send = () => {
    if (!ui.answer.trim()) return;
    say(store, first.channel, ui.answer, ui.thread);
    ui.answer = '';
  };
  return (
    <div class="pane panel talk">
      <div class="tools">
        <Button
          name="thread-close"
          icon="back"
          kind="quiet"
          press={() => Object.assign(ui, { thread: '', answer: '', editing: undefined })}
        />
        <span class="strong grow">{words.thread}</span>
      </div>
      <div class="scroll">
        <MessageRow scene={scene} id={ui.thread} message={first} />
        <div class="head">
          {words.answers}: {answersTo(store, ui.thread).length}
        </div>
        {answersTo(store, ui.thread).map(([id, message]) => (
          <MessageRow key={id} scene={scene} id={id} message={message} />
        ))}
      </div>
      <div class="tools write">
        <Field name="answer" hint={words.answer} value={ui.answer} type={(text) => (ui.answer = text)} enter={send} />
        <Button name="answer-send" icon="send" kind="main" press={send} />
      </div>
    </div>
  );
}

function Results(scene: ChatScene) {
  const { store, ui, words } = scene;
  return (
    <div class="pane panel">
      <div class="tools">
        <span class="strong">{words.results}</span>
      </div>
      <div class="scroll">
        {searchMessages(store, ui.search).map(([id, { channel, by, text, thread }]) => (
          <div
            class="row"
            key={id}
            {...on(`result-${id}`, {
              press() {
                open(scene, channel);
                ui.thread = thread;
              },
            })}
          >
            <Face person={by} />
            <div class="grow">
              <div class="small muted">
                {by} · {store.channels[channel]?.name}
              </div>
              <div class="cut">{text}</div>
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}

function Dialogs({ store, ui, words }: ChatScene) {
  const { form } = ui;
  const channel = store.channels[form?.id ?? ''];
  return (
    <>
      {form && (
        <Dialog title={channel ? words.topic : words.newChannel}>
          {!channel && (
            <Labelled name="form-name" label={words.name} value={form.name} type={(text) => (form.name = text)} />
          )}
          <Labelled name="form-topic" label={words.topic} value={form.topic} type={(text) => (form.topic = text)} />
          <div class="end">
            <Button name="form-cancel" press={() => (ui.form = undefined)}>
              {words.cancel}
            </Button>
            <Button
              name="form-done"
              kind="main"
              press={() => {
                if (channel) channel.topic = form.topic.trim();
                else if (form.name.trim()) makeChannel(store, form.name, form.topic);
                ui.form = undefined;
              }}
            >
              {channel ? words.save : words.create}
            </Button>
          </div>
        </Dialog>
      )}
      {ui.status !== undefined && (
        <Dialog title={words.status}>
          <Field name="status-text" value={ui.status} type={(text) => (ui.status = text)} />
          <div class="end">
            <Button name="status-cancel" press={() => (ui.status = undefined)}>
              {words.cancel}
            </Button>
            <Button
              name="status-save"
              kind="main"
              press={() => {
                store.status = ui.status?.trim() ?? '';
                ui.status = undefined;
              }}
            >
              {words.save}
            </Button>
          </div>
        </Dialog>
      )}
      {ui.sharing && (
        <Dialog title={words.share}>
          <div class="muted cut">{store.messages[ui.sharing]?.text}</div>
          <div>
            {Object.entries(store.channels).map(([id, { name, direct }]) => (
              <div
                class="item"
                key={id}
                {...on(`share-${id}`, {
                  press() {
                    say(store, id, store.messages[ui.sharing]?.text ?? '');
                    ui.sharing = '';
                  },
                })}
              >
                <Icon name={direct ? 'user' : 'hash'} />
                <span>{name}</span>
              </div>
            ))}
          </div>
          <div class="end">
            <Button name="share-cancel" press={() => (ui.sharing = '')}>
              {words.cancel}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function ChatView(scene: ChatScene) {
  const { ui, words } = scene;
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="smile" />
          {words.app}
        </div>
        <span class="grow" />
        <Find name="search" hint={words.search} value={ui.search} type={(text) => (ui.search = text)} />
      </div>
      <div class="body">
        <Side {...scene} />
        {ui.search.trim() ? <Results {...scene} /> : ui.thread ? <Thread {...scene} /> : <Talk {...scene} />}
      </div>
      <Dialogs {...scene} />
      <Toast ui={ui} />
    </>
  );
}

export default runApp<ChatApp>({
  view: ChatView,
  ui: ({ store }) => ({
    ...{ channel: Object.keys(store.channels)[0] ?? '', thread: '', text: '', answer: '', search: '', sharing: '' },
  }),
  solve: solveChat,
  look: lookChat,
  escape: ({ ui }) => Object.assign(ui, { form: undefined, status: undefined, sharing: '', editing: undefined }),
});
