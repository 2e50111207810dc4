import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Dialog, Drop, Field, Icon, Labelled, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { keyInText, put, remember, undo, write } from './editorKeys.js';
import { lookEditor, solveEditor } from './editorSolver.js';
import {
  type Block,
  type EditorApp,
  type Mark,
  type Style,
  endsOf,
  lengthOf,
  marks,
  partsBetween,
  replaceAll,
  setLink,
  styles,
  timesIn,
  toggleMark,
  wordAround,
} from './editorStore.js';
import { placeAt } from './editorText.js';

type EditorScene = Scene<EditorApp>;

function Tools(scene: EditorScene) {
  const { store, ui, words } = scene;
  const [from, to] = endsOf(ui);
  const current = store.blocks[from.block];
  const chosen = partsBetween(store, from, to);
  const change = (act: () => void) => () => {
    remember(store, ui);
    act();
  };
  const setStyle = (style: Style) => {
    const isApplied = chosen.every(({ block }) => block.style === style);
    for (const { block } of chosen) block.style = isApplied && style !== 'text' ? 'text' : style;
  };
  const marked = (mark: Mark) =>
    chosen.some(({ from, to }) => to > from) &&
    chosen.every(({ block, from, to }) => block.marks.slice(from, to).every((bits) => bits & marks[mark]));
  return (
    <div class="tools">
      <Button name="undo" icon="undo" press={() => undo(store, ui)} />
      <Drop
        name="style"
        ui={ui}
        options={styles.map((key) => ({ key, text: words[key], on: current?.style === key }))}
        choose={(style) => change(() => chosen.forEach(({ block }) => (block.style = style as Style)))()}
      >
        {words[current?.style ?? 'text']}
      </Drop>
      {(['bold', 'italic', 'underline'] as const).map((mark) => (
        <Button
          key={mark}
          name={mark}
          icon={mark}
          kind={marked(mark) ? 'on' : ''}
          press={change(() => toggleMark(store, from, to, mark))}
        />
      ))}
      <Button
        name="bullet"
        icon="bullets"
        kind={current?.style === 'bullet' ? 'on' : ''}
        press={change(() => setStyle('bullet'))}
      />
      <Button
        name="number"
        icon="numbers"
        kind={current?.style === 'number' ? 'on' : ''}
        press={change(() => setStyle('number'))}
      />
      <Button
        name="centre"
        icon="menu"
        kind={current?.centred ? 'on' : ''}
        press={change(() => {
          const isCentred = chosen.every(({ block }) => block.centred);
          for (const { block } of chosen) block.centred = !isCentred;
        })}
      />
      <Button name="link" icon="link" press={() => (ui.link = current?.links[from.offset] ?? '')} />
      <Button
        name="clear"
        icon="close"
        press={change(() => {
          for (const { block, from, to } of chosen) {
            block.marks.fill(0, from, to);
            block.links.fill('', from, to);
          }
        })}
      />
      <span class="grow" />
      <Button name="find" icon="search" press={() => (ui.find = { text: '', by: '' })} />
    </div>
  );
}

function Letters({ scene, block, index }: { scene: EditorScene; block: Block; index: number }) {
  const { ui } = scene;
  const [from, to] = endsOf(ui);
  const start = index < from.block ? block.text.length : index > from.block ? 0 : from.offset;
  const end = index > to.block ? 0 : index < to.block ? block.text.length : to.offset;
  const isChosen = (letter: number) => index >= from.block && index <= to.block && letter >= start && letter < end;
  const isEmpty = from.block === to.block && from.offset === to.offset;
  const caret = ui.caret.block === index && isEmpty ? ui.caret.offset : -1;
  const runs: { from: number; to: number }[] = [];
  for (let letter = 0; letter < block.text.length; letter++) {
    const last = runs.at(-1);
    const continues =
      last &&
      letter !== caret &&
      block.marks[letter] === block.marks[letter - 1] &&
      block.links[letter] === block.links[letter - 1] &&
      isChosen(letter) === isChosen(letter - 1);
    if (continues) last.to = letter + 1;
    else runs.push({ from: letter, to: letter + 1 });
  }
  return (
    <>
      {runs.map((run) => {
        const bits = block.marks[run.from] ?? 0;
        const classes = [
          ...(Object.keys(marks) as Mark[]).filter((mark) => bits & marks[mark]),
          ...(block.links[run.from] ? ['linked'] : []),
          ...(isChosen(run.from) ? ['chosen'] : []),
        ];
        return (
          <>
            {run.from === caret && <i class="caret" />}
            <span key={run.from} class={classes.join(' ')}>
              {block.text.slice(run.from, run.to)}
            </span>
          </>
        );
      })}
      {caret >= block.text.length && <i class="caret" />}
    </>
  );
}

function Page(scene: EditorScene) {
  const { store, ui } = scene;
  const numberOf = (index: number): number =>
    store.blocks[index - 1]?.style === 'number' ? numberOf(index - 1) + 1 : 1;
  return (
    <div
      class="scroll desk"
      {...on('desk', {
        press() {},
        down(event) {
          // Keys stay with the text, whatever had focus before.
          event.preventDefault();
          document.querySelector<HTMLTextAreaElement>('.keys')?.focus({ preventScroll: true });
          const place = placeAt(event.clientX, event.clientY);
          const text = store.blocks[place.block]?.text ?? '';
          if (event.detail === 2) {
            const [from, to] = wordAround(text, place.offset);
            ui.anchor = { block: place.block, offset: from };
            ui.caret = { block: place.block, offset: to };
          } else if (event.shiftKey) ui.caret = place;
          else put(ui, place);
        },
        move: (event) => (ui.caret = placeAt(event.clientX, event.clientY)),
      })}
    >
      <div class="sheet">
        {store.blocks.map((block, index) => (
          <div
            key={index}
            class={`block ${block.style} ${block.centred ? 'centred' : ''}`}
            data-name={`block-${index}`}
            data-number={block.style === 'number' ? `${numberOf(index)}.` : ''}
          >
            <Letters scene={scene} block={block} index={index} />
          </div>
        ))}
      </div>
      <textarea
        class="keys"
        value=""
        {...on('keys', { type: (text) => write(store, ui, text), key: (event) => keyInText(store, ui, event) })}
      />
    </div>
  );
}

function Dialogs({ store, ui, words }: EditorScene) {
  const { find } = ui;
  const [from, to] = endsOf(ui);
  const setTo = (link: string) => {
    remember(store, ui);
    setLink(store, from, to, link);
    ui.link = undefined;
  };
  return (
    <>
      {ui.link !== undefined && (
        <Dialog title={words.link}>
          <Labelled
            name="address"
            label={words.address}
            value={ui.link}
            type={(text) => (ui.link = text)}
            enter={() => setTo(ui.link?.trim() ?? '')}
          />
          <div class="end">
            <Button name="link-cancel" press={() => (ui.link = undefined)}>
              {words.close}
            </Button>
            <Button name="unlink" press={() => setTo('')}>
              {words.unlink}
            </Button>
            <Button name="link-set" kind="main" press={() => setTo(ui.link?.trim() ?? '')}>
              {words.apply}
            </Button>
          </div>
        </Dialog>
      )}
      {find && (
        <Dialog title={words.find}>
          <Labelled name="find-text" label={words.findWhat} value={find.text} type={(text) => (find.text = text)} />
          <span class="small muted">
            {words.found}: {timesIn(store, find.text)}
          </span>
          <Labelled name="find-by" label={words.by} value={find.by} type={(text) => (find.by = text)} />
          <div class="end">
            <Button name="find-close" press={() => (ui.find = undefined)}>
              {words.close}
            </Button>
            <Button
              name="find-all"
              kind="main"
              press={() => {
                remember(store, ui);
                replaceAll(store, find.text, find.by);
                put(ui, { block: 0, offset: 0 });
              }}
            >
              {words.all}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function EditorView(scene: EditorScene) {
  const { store, ui, words, language } = scene;
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="file" />
          {words.app}
        </div>
        <div class="name">
          <Field name="title" value={store.title} hint={words.title} type={(text) => (store.title = text)} />
        </div>
        <span class="grow" />
        <span class="small">
          {words.words}: {lengthOf(store, language === 'zh')}
        </span>
      </div>
      <div class="pane">
        <Tools {...scene} />
        <Page {...scene} />
      </div>
      <Dialogs {...scene} />
      <Toast ui={ui} />
    </>
  );
}

export default runApp<EditorApp>({
  view: EditorView,
  ui: () => ({ anchor: { block: 0, offset: 0 }, caret: { block: 0, offset: 0 }, undo: [], clipboard: '' }),
  solve: solveEditor,
  look: lookEditor,
  escape: ({ ui }) => Object.assign(ui, { link: undefined, find: undefined }),
  // Keys go into the text, unless another field has focus.
  drawn() {
    const active = document.activeElement;
    if (active instanceof HTMLInputElement) return;
    document.querySelector<HTMLTextAreaElement>('.keys')?.focus({ preventScroll: true });
  },
});
