import type { Scene } from '../app.js';
import { dayText } from '../data/day.js';
import { newKey } from '../data/facts.js';
import { on } from '../page/elementHandlers.js';
import { Button, Dialog, Drop, Face, Field, Find, Icon, Labelled, Tick, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { MailReader } from './mailReader.js';
import { solveMail, lookMail } from './mailSolver.js';
import { type Folder, type MailApp, folders, mailsOf, send } from './mailStore.js';

type MailScene = Scene<MailApp>;

const icons = { inbox: 'inbox', archive: 'archive', spam: 'spam', trash: 'trash' } as const;

function goTo({ ui }: MailScene, view: string): void {
  Object.assign(ui, { view, open: '', picked: [], search: '', letter: undefined });
}

function Side(scene: MailScene) {
  const { store, ui, words } = scene;
  const item = (view: string, text: string, icon: Parameters<typeof Icon>[0]['name'], count = 0) => (
    <div
      class={`item ${ui.view === view && !ui.letter ? 'on' : ''}`}
      {...on(`view-${view}`, { press: () => goTo(scene, view) })}
    >
      <Icon name={icon} />
      <span>{text}</span>
      {count > 0 && <span class="count">{count}</span>}
    </div>
  );
  const unread = Object.values(store.mails).filter((mail) => mail.unread && mail.folder === 'inbox').length;
  return (
    <div class="side">
      <Button
        name="compose"
        icon="edit"
        kind="main"
        press={() => (ui.letter = { to: '', subject: '', body: '', re: '', draft: '' })}
      >
        {words.compose}
      </Button>
      {item('inbox', words.inbox, 'inbox', unread)}
      {item('starred', words.starred, 'star')}
      {item('sent', words.sent, 'send')}
      {item('drafts', words.drafts, 'file', Object.keys(store.drafts).length)}
      {item('archive', words.archive, 'archive')}
      {item('spam', words.spam, 'spam')}
      {item('trash', words.trash, 'trash')}
      <div class="head">{words.labels}</div>
      {store.labels.map((label) => item(`label:${label}`, label, 'tag'))}
      <div class="item muted" {...on('new-label', { press: () => (ui.label = '') })}>
        <Icon name="plus" />
        <span>{words.newLabel}</span>
      </div>
    </div>
  );
}

function MailList(scene: MailScene) {
  const { store, ui, words, language, layout } = scene;
  const mails = mailsOf(store, ui.view, ui.search);
  const put = (folder: Folder) => {
    for (const id of ui.picked) {
      const mail = store.mails[id];
      if (mail) mail.folder = folder;
    }
    ui.picked = [];
  };
  return (
    <div class="pane panel" key={ui.view}>
      <div class="tools">
        {ui.picked.length === 0 ? (
          <span class="strong">{titleOf(scene)}</span>
        ) : (
          <>
            <span class="strong">{ui.picked.length}</span>
            <Button name="bulk-archive" icon="archive" press={() => put('archive')} />
            <Button name="bulk-trash" icon="trash" press={() => put('trash')} />
            <Drop
              name="bulk-move"
              ui={ui}
              icon="move"
              options={folders.map((key) => ({ key, text: words[key], icon: icons[key] }))}
              choose={(key) => put(key as Folder)}
            >
              {words.move}
            </Drop>
          </>
        )}
      </div>
      <div class="scroll">
        {mails.map(([id, mail]) => (
          <div
            key={id}
            class={`row mail-row ${mail.unread ? 'unread' : ''} ${ui.picked.includes(id) ? 'on' : ''}`}
            {...on(`mail-${id}`, {
              press: () => {
                ui.open = id;
                mail.unread = false;
              },
            })}
          >
            <Tick
              name={`pick-${id}`}
              on={ui.picked.includes(id)}
              press={() =>
                (ui.picked = ui.picked.includes(id) ? ui.picked.filter((other) => other !== id) : [...ui.picked, id])
              }
            />
            <span
              class={`star ${mail.starred ? 'on' : ''}`}
              {...on(`star-${id}`, { press: () => (mail.starred = !mail.starred) })}
            >
              <Icon name="star" full={mail.starred} />
            </span>
            {layout.faces === 'shown' && <Face person={mail.from} />}
            <div class="texts">
              <span class="from cut">{mail.from}</span>
              <span class="subject cut">
                {mail.subject}
                {layout.preview === 'long' && <span class="muted plain"> · {mail.body}</span>}
              </span>
            </div>
            {mail.labels.map((label) => (
              <span class="chip" key={label}>
                {label}
              </span>
            ))}
            <span class="muted small day">{dayText(mail.day, language)}</span>
          </div>
        ))}
        {mails.length === 0 && <div class="void">{words.empty}</div>}
      </div>
    </div>
  );
}

function titleOf({ ui, words }: MailScene): string {
  if (ui.view.startsWith('label:')) return ui.view.slice(6);
  return words[ui.view as Folder | 'sent' | 'drafts' | 'starred'];
}

function LetterList(scene: MailScene) {
  const { store, ui, words } = scene;
  const letters = Object.entries(ui.view === 'sent' ? store.sent : store.drafts);
  return (
    <div class="pane panel" key={ui.view}>
      <div class="tools">
        <span class="strong">{titleOf(scene)}</span>
      </div>
      <div class="scroll">
        {letters.map(([id, letter]) => (
          <div
            key={id}
            class="row mail-row"
            {...on(`letter-${id}`, {
              press: () => {
                if (ui.view === 'drafts') ui.letter = { ...letter, draft: id };
              },
            })}
          >
            <Icon name={ui.view === 'sent' ? 'send' : 'file'} />
            <div class="texts">
              <span class="from cut">{letter.to || '—'}</span>
              <span class="subject cut">
                {letter.subject} <span class="muted plain">· {letter.body}</span>
              </span>
            </div>
          </div>
        ))}
        {letters.length === 0 && <div class="void">{words.empty}</div>}
      </div>
    </div>
  );
}

function Writer(scene: MailScene) {
  const { store, ui, words } = scene;
  const { letter } = ui;
  if (!letter) return null;
  const { draft, ...written } = letter;
  return (
    <div class="pane panel">
      <div class="tools">
        <Button
          name="send"
          icon="send"
          kind="main"
          press={() => {
            if (!letter.to.includes('@')) {
              ui.toast = words.noAddress;
              return;
            }
            send(store, written, draft);
            ui.letter = undefined;
            ui.toast = words.sentNote;
          }}
        >
          {words.send}
        </Button>
        <Button
          name="save"
          icon="file"
          press={() => {
            store.drafts[draft || newKey(store.drafts)] = written;
            ui.letter = undefined;
          }}
        >
          {words.save}
        </Button>
        <span class="grow" />
        <Button name="discard" icon="trash" kind="quiet" press={() => (ui.letter = undefined)}>
          {words.discard}
        </Button>
      </div>
      <div class="down writer">
        <div class="across">
          <span class="muted what">{words.to}</span>
          <Field name="to" value={letter.to} type={(text) => (letter.to = text)} />
          <Drop
            name="contacts"
            ui={ui}
            icon="user"
            place="end"
            options={store.people.map(({ name, address }) => ({ key: address, text: name }))}
            choose={(address) => (letter.to = address)}
          />
        </div>
        <div class="across">
          <span class="muted what">{words.subject}</span>
          <Field name="subject" value={letter.subject} type={(text) => (letter.subject = text)} />
        </div>
        <Field name="body" lines={9} hint={words.body} value={letter.body} type={(text) => (letter.body = text)} />
      </div>
    </div>
  );
}

function NewLabel({ store, ui, words }: MailScene) {
  const add = () => {
    const label = ui.label?.trim() ?? '';
    if (label && !store.labels.includes(label)) store.labels = [...store.labels, label];
    ui.label = undefined;
  };
  return (
    <Dialog title={words.newLabel}>
      <Labelled
        name="label-name"
        label={words.name}
        value={ui.label ?? ''}
        type={(text) => (ui.label = text)}
        enter={add}
      />
      <div class="end">
        <Button name="label-cancel" press={() => (ui.label = undefined)}>
          {words.cancel}
        </Button>
        <Button name="label-create" kind="main" press={add}>
          {words.create}
        </Button>
      </div>
    </Dialog>
  );
}

function MailView(scene: MailScene) {
  const { store, ui, words } = scene;
  const mail = store.mails[ui.open];
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="mail" />
          {words.app}
        </div>
        <span class="grow" />
        <Find
          name="search"
          hint={words.search}
          value={ui.search}
          type={(text) => Object.assign(ui, { search: text, open: '', picked: [], letter: undefined })}
        />
        <Face person={store.me} />
      </div>
      <div class="body">
        <Side {...scene} />
        <div class="pane inner">
          {ui.letter ? (
            <Writer {...scene} />
          ) : mail ? (
            <MailReader scene={scene} id={ui.open} mail={mail} />
          ) : ui.view === 'sent' || ui.view === 'drafts' ? (
            <LetterList {...scene} />
          ) : (
            <MailList {...scene} />
          )}
        </div>
      </div>
      {ui.label !== undefined && <NewLabel {...scene} />}
      <Toast ui={ui} />
    </>
  );
}

export default runApp<MailApp>({
  view: MailView,
  ui: () => ({ view: 'inbox', open: '', search: '', picked: [] }),
  solve: solveMail,
  look: lookMail,
  escape({ ui }) {
    if (ui.label !== undefined) ui.label = undefined;
    else if (!ui.letter) ui.open = '';
  },
  // Reading a mail counts only if the task asks for it.
  matters: (store, start, goal) => ({
    ...store,
    mails: Object.fromEntries(
      Object.entries(store.mails).map(([id, mail]) => {
        const isChanged = start.mails[id]?.unread !== goal.mails[id]?.unread;
        return [id, isChanged ? mail : { ...mail, unread: false }];
      }),
    ),
  }),
  lasting: ['/sent/+'],
});
