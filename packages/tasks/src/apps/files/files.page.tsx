import type { Scene } from '../app.js';
import { dayText } from '../data/day.js';
import { on } from '../page/elementHandlers.js';
import { Button, Dialog, Drop, Field, Find, Icon, Tick, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { lookFiles, solveFiles } from './filesSolver.js';
import {
  type FileSort,
  type FilesApp,
  copyTo,
  emptyTrash,
  foldersOf,
  makeFolder,
  moveTo,
  nodesOf,
  sizeText,
} from './filesStore.js';

type FilesScene = Scene<FilesApp>;

const kindIcons = { folder: 'folder', text: 'file', image: 'image', music: 'music', table: 'grid' } as const;

function goTo({ ui }: FilesScene, place: string): void {
  Object.assign(ui, { place, picked: [], search: '' });
}

function Side(scene: FilesScene) {
  const { store, ui, words } = scene;
  const item = (place: string, name: string, text: string, icon: 'home' | 'star' | 'trash' | 'folder') => (
    <div class={`item ${ui.place === place ? 'on' : ''}`} {...on(name, { press: () => goTo(scene, place) })}>
      <Icon name={icon} />
      <span>{text}</span>
    </div>
  );
  const tops = foldersOf(store).filter((id) => store.nodes[id]?.parent === '');
  return (
    <div class="side">
      {item('', 'place-top', words.top, 'home')}
      {tops.map((id) => item(id, `place-${id}`, store.nodes[id]?.name ?? '', 'folder'))}
      <div class="head" />
      {item('starred', 'place-starred', words.starred, 'star')}
      {item('trash', 'place-trash', words.trash, 'trash')}
    </div>
  );
}

function Path(scene: FilesScene) {
  const { store, ui, words } = scene;
  const breadcrumbs: string[] = [];
  for (let at = ui.place; at in store.nodes; at = store.nodes[at]?.parent ?? '') breadcrumbs.unshift(at);
  const special = ui.place === 'trash' ? words.trash : ui.place === 'starred' ? words.starred : words.top;
  return (
    <div class="across path grow">
      <span class="link" {...on('path-top', { press: () => goTo(scene, ui.place in store.nodes ? '' : ui.place) })}>
        {special}
      </span>
      {breadcrumbs.map((id) => (
        <>
          <Icon name="next" />
          <span class="link cut" {...on(`path-${id}`, { press: () => goTo(scene, id) })}>
            {store.nodes[id]?.name}
          </span>
        </>
      ))}
    </div>
  );
}

function Selected(scene: FilesScene) {
  const { store, ui, words } = scene;
  const [first = ''] = ui.picked;
  const nodes = ui.picked.flatMap((id) => store.nodes[id] ?? []);
  const end = (act: () => void) => () => {
    act();
    ui.picked = [];
  };
  const targets = ['', ...foldersOf(store)]
    .filter((id) => !ui.picked.includes(id))
    .map((id) => ({ key: id || 'top', text: id ? (store.nodes[id]?.name ?? '') : words.top, icon: 'folder' as const }));
  const into = (act: typeof moveTo) => (key: string) =>
    end(() => ui.picked.forEach((id) => act(store, id, key === 'top' ? '' : key)))();
  return (
    <div class="tools">
      <span class="strong">
        {ui.picked.length} {words.selected}
      </span>
      <span class="grow" />
      {ui.place === 'trash' ? (
        <Button name="restore" icon="undo" press={end(() => nodes.forEach((node) => (node.trashed = false)))}>
          {words.restore}
        </Button>
      ) : (
        <>
          <Drop name="move" ui={ui} icon="move" place="end" options={targets} choose={into(moveTo)}>
            {words.move}
          </Drop>
          <Drop name="copy" ui={ui} icon="copy" place="end" options={targets} choose={into(copyTo)}>
            {words.copy}
          </Drop>
          {ui.picked.length === 1 && (
            <Button
              name="rename"
              icon="edit"
              press={() => (ui.naming = { id: first, text: store.nodes[first]?.name ?? '' })}
            />
          )}
          <Button name="star" icon="star" press={end(() => nodes.forEach((node) => (node.starred = !node.starred)))} />
          <Button name="remove" icon="trash" press={end(() => nodes.forEach((node) => (node.trashed = true)))} />
        </>
      )}
    </div>
  );
}

function Tools(scene: FilesScene) {
  const { store, ui, words } = scene;
  if (ui.picked.length > 0) return <Selected {...scene} />;
  return (
    <div class="tools">
      <Path {...scene} />
      {ui.place === 'trash' ? (
        <Button name="empty" icon="trash" press={() => (ui.emptying = nodesOf(store, ui).length > 0)}>
          {words.empty}
        </Button>
      ) : (
        <Button name="new-folder" icon="plus" press={() => (ui.naming = { id: '', text: '' })}>
          {words.newFolder}
        </Button>
      )}
      <Drop
        name="sort"
        ui={ui}
        icon="sort"
        place="end"
        options={(['name', 'size', 'day'] as const).map((key) => ({ key, text: words[key], on: ui.sort === key }))}
        choose={(sort) => (ui.sort = sort as FileSort)}
      />
    </div>
  );
}

function Nodes(scene: FilesScene) {
  const { store, ui, words, language } = scene;
  const nodes = nodesOf(store, ui);
  const toggle = (id: string) => {
    ui.picked = ui.picked.includes(id) ? ui.picked.filter((other) => other !== id) : [...ui.picked, id];
  };
  const drop = (event: MouseEvent) => {
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    const folder = under
      .map((element) => (element as HTMLElement | SVGElement).dataset.name ?? '')
      .flatMap((name) => /^(?:place|node)-(.+)$/.exec(name)?.[1] ?? [])
      .map((name) => (name === 'top' ? '' : name))
      .find((id) => id !== ui.dragged && (id === '' || store.nodes[id]?.kind === 'folder'));
    if (folder !== undefined) moveTo(store, ui.dragged, folder);
    ui.dragged = '';
  };
  return (
    <div class="scroll" key={ui.place}>
      <div class="nodes">
        {nodes.map((id) => {
          const node = store.nodes[id];
          if (!node) return null;
          const picked = ui.picked.includes(id);
          return (
            <div
              key={id}
              class={`row node ${picked ? 'on' : ''}`}
              {...on(`node-${id}`, {
                press: () => (ui.picked = [id]),
                twice() {
                  if (node.kind === 'folder' && !node.trashed) goTo(scene, id);
                  else if (node.kind === 'text') Object.assign(ui, { open: id, picked: [] });
                },
                down: () => (ui.dragged = id),
                up: drop,
              })}
            >
              <Tick name={`pick-${id}`} on={picked} press={() => toggle(id)} />
              <span class={`sign ${node.kind}`}>
                <Icon name={kindIcons[node.kind]} />
              </span>
              <span class="cut name">{node.name}</span>
              {node.starred && <Icon name="star" full />}
              <span class="muted small size">{node.kind === 'folder' ? '' : sizeText(node.size)}</span>
              <span class="muted small day">{node.day && dayText(node.day, language)}</span>
            </div>
          );
        })}
      </div>
      {nodes.length === 0 && <div class="void">{words.nothing}</div>}
    </div>
  );
}

function Dialogs(scene: FilesScene) {
  const { store, ui, words } = scene;
  const { naming } = ui;
  const text = store.nodes[ui.open];
  const finish = () => {
    const name = naming?.text.trim();
    const node = store.nodes[naming?.id ?? ''];
    if (name && node) node.name = name;
    else if (name) makeFolder(store, name, ui.place in store.nodes ? ui.place : '');
    Object.assign(ui, { naming: undefined, picked: [] });
  };
  return (
    <>
      {naming && (
        <Dialog title={naming.id ? words.rename : words.newFolder}>
          <Field
            name="name"
            value={naming.text}
            hint={words.name}
            type={(name) => (naming.text = name)}
            enter={finish}
          />
          <div class="end">
            <Button name="name-cancel" press={() => (ui.naming = undefined)}>
              {words.cancel}
            </Button>
            <Button name="name-done" kind="main" press={finish}>
              {words.done}
            </Button>
          </div>
        </Dialog>
      )}
      {text && (
        <Dialog title={text.name}>
          <div class="paper">{text.text}</div>
          <div class="end">
            <Button name="text-close" press={() => (ui.open = '')}>
              {words.close}
            </Button>
          </div>
        </Dialog>
      )}
      {ui.emptying && (
        <Dialog title={words.trash}>
          <span>{words.emptyAsk}</span>
          <div class="end">
            <Button name="empty-no" press={() => (ui.emptying = false)}>
              {words.cancel}
            </Button>
            <Button
              name="empty-yes"
              kind="main"
              press={() => {
                emptyTrash(store);
                ui.emptying = false;
              }}
            >
              {words.yes}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function FilesView(scene: FilesScene) {
  const { ui, words } = scene;
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="folder" />
          {words.app}
        </div>
        <span class="grow" />
        <Find
          name="search"
          hint={words.search}
          value={ui.search}
          type={(search) => Object.assign(ui, { search, picked: [], place: ui.place === 'trash' ? '' : ui.place })}
        />
      </div>
      <div class="body">
        <Side {...scene} />
        <div class="pane panel">
          <Tools {...scene} />
          <Nodes {...scene} />
        </div>
      </div>
      <Dialogs {...scene} />
      <Toast ui={ui} />
    </>
  );
}

export default runApp<FilesApp>({
  view: FilesView,
  ui: () => ({ place: '', picked: [], search: '', sort: 'name', open: '', emptying: false, dragged: '' }),
  solve: solveFiles,
  look: lookFiles,
  escape({ ui }) {
    if (ui.naming || ui.open || ui.emptying) Object.assign(ui, { naming: undefined, open: '', emptying: false });
    else ui.picked = [];
  },
});
