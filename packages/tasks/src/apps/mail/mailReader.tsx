import type { Scene } from '../app.js';
import { dayText } from '../data/day.js';
import { on } from '../page/elementHandlers.js';
import { Button, Drop, Face, Icon } from '../page/parts.js';
import { type Folder, type Mail, type MailApp, answerTo, folders, forwardOf, toggleLabel } from './mailStore.js';

export function MailReader({ scene, id, mail }: { scene: Scene<MailApp>; id: string; mail: Mail }) {
  const { store, ui, words, language } = scene;
  const put = (folder: Folder) => {
    mail.folder = folder;
    ui.open = '';
  };
  return (
    <div class="pane panel">
      <div class="tools">
        <Button name="back" icon="back" press={() => (ui.open = '')} />
        <Button name="archive" icon="archive" press={() => put('archive')} />
        <Button name="spam" icon="spam" press={() => put('spam')} />
        <Button name="trash" icon="trash" press={() => put('trash')} />
        <Button
          name="unread"
          icon="mail"
          press={() => {
            mail.unread = true;
            ui.open = '';
          }}
        >
          {words.unread}
        </Button>
        <Drop
          name="move"
          ui={ui}
          icon="move"
          place="end"
          options={folders.map((key) => ({ key, text: words[key] }))}
          choose={(key) => put(key as Folder)}
        >
          {words.move}
        </Drop>
        <Drop
          name="label"
          ui={ui}
          icon="tag"
          place="end"
          options={store.labels.map((key) => ({ key, text: key, on: mail.labels.includes(key) }))}
          choose={(key) => toggleLabel(store, mail, key)}
        />
      </div>
      <div class="scroll letter">
        <div class="across">
          <span class="title grow">{mail.subject}</span>
          <span
            class={`star ${mail.starred ? 'on' : ''}`}
            {...on('star', { press: () => (mail.starred = !mail.starred) })}
          >
            <Icon name="star" full={mail.starred} />
          </span>
        </div>
        <div class="across sender">
          <Face person={mail.from} />
          <div>
            <div class="strong">{mail.from}</div>
            <div class="muted small">{store.people.find(({ name }) => name === mail.from)?.address}</div>
          </div>
          <span class="grow" />
          {mail.labels.map((label) => (
            <span class="chip" key={label}>
              {label}
            </span>
          ))}
          <span class="muted small">{dayText(mail.day, language)}</span>
        </div>
        <div class="text">{mail.body}</div>
        <div class="across">
          <Button
            name="reply"
            icon="reply"
            kind="main"
            press={() => (ui.letter = { ...answerTo(store, id), draft: '' })}
          >
            {words.reply}
          </Button>
          <Button name="forward" icon="forward" press={() => (ui.letter = { ...forwardOf(store, id), draft: '' })}>
            {words.forward}
          </Button>
        </div>
      </div>
    </div>
  );
}
