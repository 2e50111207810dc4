import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Drop, Face, Field, Icon } from '../page/parts.js';
import { type ChatApp, type Message, answersTo, react, reactions, removeMessage } from './chatStore.js';

interface MessageRowProps {
  scene: Scene<ChatApp>;
  id: string;
  message: Message;
}

export function MessageRow({ scene, id, message }: MessageRowProps) {
  const { store, ui, words, layout } = scene;
  const mine = message.by === store.me;
  const answers = answersTo(store, id).length;
  const { editing } = ui;
  const save = () => {
    if (editing?.text.trim()) message.text = editing.text.trim();
    ui.editing = undefined;
  };
  const acts = [
    ...reactions.map((key) => ({ key, text: `${words.react}: ${words[key]}`, icon: key })),
    { key: 'pin', text: message.pinned ? words.unpin : words.pin, icon: 'pin' as const },
    { key: 'share', text: words.share, icon: 'share' as const },
    ...(mine
      ? [
          { key: 'edit', text: words.edit, icon: 'edit' as const },
          { key: 'delete', text: words.delete, icon: 'trash' as const },
        ]
      : []),
  ];
  const act = (key: string) => {
    if (key === 'pin') message.pinned = !message.pinned;
    else if (key === 'share') ui.sharing = id;
    else if (key === 'edit') ui.editing = { id, text: message.text };
    else if (key === 'delete') {
      removeMessage(store, id);
      if (ui.thread === id) ui.thread = '';
    } else react(store, id, key as (typeof reactions)[number]);
  };
  return (
    <div class={`message ${mine ? 'mine' : ''}`} data-name={`message-${id}`}>
      <Face person={message.by} />
      <div class="grow words">
        <div class="across">
          <span class="strong">{message.by}</span>
          <span class="small muted">{message.at}</span>
          {message.pinned && <span class="chip">{words.pinned}</span>}
        </div>
        {editing?.id === id ? (
          <div class="across">
            <Field name="edit-text" value={editing.text} type={(text) => (editing.text = text)} enter={save} />
            <Button name="edit-save" kind="main" press={save}>
              {words.save}
            </Button>
            <Button name="edit-cancel" icon="close" press={() => (ui.editing = undefined)} />
          </div>
        ) : (
          <div class="text">{message.text}</div>
        )}
        <div class="across marks">
          {reactions.map((key) => {
            const who = message.reactions[key];
            return (
              who && (
                <span
                  key={key}
                  class={`chip mark ${who.includes(store.me) ? 'on' : ''}`}
                  {...on(`mark-${key}-${id}`, { press: () => react(store, id, key) })}
                >
                  <Icon name={key} full={key !== 'smile' && key !== 'check'} /> {who.length}
                </span>
              )
            );
          })}
          {answers > 0 && !ui.thread && (
            <span
              class="link small"
              {...on(`answers-${id}`, { press: () => Object.assign(ui, { thread: id, answer: '' }) })}
            >
              {words.answers}: {answers}
            </span>
          )}
        </div>
      </div>
      {!message.thread && !ui.thread && (
        <Button
          name={`thread-${id}`}
          icon="reply"
          kind="quiet"
          press={() => Object.assign(ui, { thread: id, answer: '' })}
        />
      )}
      <Drop
        name={`act-${id}`}
        ui={ui}
        icon={layout.acts === 'smile' ? 'smile' : 'more'}
        kind="quiet"
        place="end"
        options={acts}
        choose={act}
      />
    </div>
  );
}
