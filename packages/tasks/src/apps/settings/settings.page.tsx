import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Dialog, Drop, Field, Find, Icon, Switch, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { lookSettings, solveSettings } from './settingsSolver.js';
import { type Setting, type SettingsApp, type SettingsPage, type Value, searchSettings } from './settingsStore.js';

type SettingsScene = Scene<SettingsApp>;

function open({ ui }: SettingsScene, page: string): void {
  Object.assign(ui, { page, search: '', draft: {} });
}

function Control({ scene, page, setting }: { scene: SettingsScene; page: SettingsPage; setting: Setting }) {
  const { store, ui } = scene;
  const { id, kind, label } = setting;
  const value = ui.draft[id] ?? store.values[id];
  const set = (next: Value) => {
    if (!page.saves) store.values[id] = next;
    else ui.draft[id] = next;
  };
  switch (kind) {
    case 'switch':
      return <Switch name={id} on={value === true} press={() => set(value !== true)} />;
    case 'choice':
      return (
        <Drop
          name={id}
          ui={ui}
          place="end"
          options={(setting.options ?? []).map((key) => ({ key, text: key, on: key === value }))}
          choose={set}
        >
          {String(value)}
        </Drop>
      );
    case 'level':
      return (
        <div class="across">
          <Button name={`${id}-less`} icon="minus" press={() => set(Math.max(0, Number(value) - 10))} />
          <div
            class="level"
            {...on(id, {
              press(event) {
                const { left, width } = (event.target as Element).closest('.level')!.getBoundingClientRect();
                set(Math.max(0, Math.min(100, Math.round(((event.clientX - left) / width) * 10) * 10)));
              },
            })}
          >
            <i style={`width:${Number(value)}%`} />
          </div>
          <Button name={`${id}-more`} icon="plus" press={() => set(Math.min(100, Number(value) + 10))} />
          <span class="number">{value}</span>
        </div>
      );
    case 'text':
      return (
        <div class="entry">
          <Field name={id} value={String(value)} type={set} />
        </div>
      );
    case 'act':
      return (
        <Button name={id} press={() => (ui.ask = id)}>
          {label}
        </Button>
      );
    case 'page':
      return <Button name={`page-${id}`} kind="quiet" icon="next" press={() => open(scene, id)} />;
    case 'fact':
      return <span class="muted">{String(value)}</span>;
  }
}

function Rows({ scene, entries }: { scene: SettingsScene; entries: [SettingsPage, Setting][] }) {
  return (
    <>
      {entries.map(([page, setting]) => (
        <div class="row setting" key={setting.id}>
          <span class="grow">{setting.label}</span>
          <Control scene={scene} page={page} setting={setting} />
        </div>
      ))}
    </>
  );
}

function Page({ scene, page }: { scene: SettingsScene; page: SettingsPage }) {
  const { store, ui, words, layout } = scene;
  const isTop = page.parent === '';
  return (
    <div class="pane sheet" key={page.id}>
      <div class="tools plain">
        {(!isTop || layout.nav === 'tiles') && (
          <Button name="back" icon="back" kind="quiet" press={() => open(scene, page.parent)} />
        )}
        <span class="title">{page.label}</span>
      </div>
      <div class="scroll">
        <div class="panel">
          <Rows scene={scene} entries={page.settings.map((setting) => [page, setting])} />
        </div>
      </div>
      {page.saves && (
        <div class="across foot">
          <span class="grow" />
          <Button name="cancel" press={() => (ui.draft = {})}>
            {words.cancel}
          </Button>
          <Button
            name="save"
            kind={Object.keys(ui.draft).length > 0 ? 'main' : 'off'}
            press={() => {
              Object.assign(store.values, ui.draft);
              Object.assign(ui, { draft: {}, toast: words.saved });
            }}
          >
            {words.save}
          </Button>
        </div>
      )}
    </div>
  );
}

function Results(scene: SettingsScene) {
  const { store, ui, words } = scene;
  return (
    <div class="pane sheet">
      <div class="tools plain">
        <span class="title">{words.search}</span>
      </div>
      <div class="scroll">
        <div class="panel">
          {searchSettings(store, ui.search).map(([page, setting]) => (
            <div
              class="row setting"
              key={setting.id}
              {...on(`result-${setting.id}`, { press: () => open(scene, page.id) })}
            >
              <Icon name={page.icon} />
              <span class="grow">{setting.label}</span>
              <span class="muted small">{page.label}</span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function SettingsView(scene: SettingsScene) {
  const { store, ui, words, layout } = scene;
  const page = store.pages.find(({ id }) => id === ui.page);
  const tops = store.pages.filter(({ parent }) => parent === '');
  const top = page?.parent || ui.page;
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="settings" />
          {words.app}
        </div>
        <span class="grow" />
        <Find name="search" hint={words.search} value={ui.search} type={(text) => (ui.search = text)} />
      </div>
      <div class="body">
        {layout.nav === 'side' && (
          <div class="side">
            {tops.map(({ id, label, icon }) => (
              <div
                key={id}
                class={`item ${top === id && !ui.search ? 'on' : ''}`}
                {...on(`page-${id}`, { press: () => open(scene, id) })}
              >
                <Icon name={icon} />
                <span>{label}</span>
              </div>
            ))}
          </div>
        )}
        {ui.search.trim() ? (
          <Results {...scene} />
        ) : page ? (
          <Page scene={scene} page={page} />
        ) : (
          <div class="tiles">
            {tops.map(({ id, label, icon, settings }) => (
              <div key={id} class="panel tile" {...on(`page-${id}`, { press: () => open(scene, id) })}>
                <Icon name={icon} />
                <span class="strong">{label}</span>
                <span class="muted small cut">
                  {settings
                    .slice(0, 2)
                    .map((setting) => setting.label)
                    .join(' · ')}
                </span>
              </div>
            ))}
          </div>
        )}
      </div>
      {ui.ask && (
        <Dialog title={words.sure}>
          <span>{words.cannotUndo}</span>
          <div class="end">
            <Button name="ask-no" press={() => (ui.ask = '')}>
              {words.no}
            </Button>
            <Button
              name="ask-yes"
              kind="main"
              press={() => {
                store.values[ui.ask] = 0;
                ui.ask = '';
              }}
            >
              {words.yes}
            </Button>
          </div>
        </Dialog>
      )}
      <Toast ui={ui} />
    </>
  );
}

export default runApp<SettingsApp>({
  view: SettingsView,
  ui: ({ layout, store }) => ({
    page: layout.nav === 'side' ? (store.pages[0]?.id ?? '') : '',
    search: '',
    draft: {},
    ask: '',
  }),
  solve: solveSettings,
  look: lookSettings,
  escape: ({ ui }) => void (ui.ask = ''),
  lasting: ['/values/clear'],
});
