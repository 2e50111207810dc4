import type { ComponentChildren } from 'preact';
import { type AppIconName, iconPath } from '../look/appIcons.js';
import type { CommonUi } from '../app.js';
import { on } from './elementHandlers.js';

export function Icon({ name, full = false }: { name: AppIconName; full?: boolean }) {
  return (
    <svg class={full ? 'ico full' : 'ico'} viewBox="0 0 24 24">
      <path d={iconPath(name)} />
    </svg>
  );
}

interface ButtonProps {
  name: string;
  press: (event: MouseEvent) => void;
  icon?: AppIconName;
  full?: boolean;
  /** `main`, `quiet`, `on`, `off`. */
  kind?: string;
  children?: ComponentChildren;
}

export function Button({ name, press, icon, full, kind = '', children }: ButtonProps) {
  return (
    <div class={`btn ${kind} ${children ? '' : 'icon'}`} {...on(name, { press })}>
      {icon && <Icon name={icon} {...(full && { full })} />}
      {children && <span>{children}</span>}
    </div>
  );
}

interface FieldProps {
  name: string;
  value: string;
  type: (text: string) => void;
  enter?: () => void;
  hint?: string;
  kind?: string;
  lines?: number;
}

export function Field({ name, value, type, enter, hint = '', kind = '', lines = 1 }: FieldProps) {
  const common = {
    class: `ent ${kind}`,
    value,
    placeholder: hint,
    spellcheck: false,
    autocomplete: 'off',
    ...on(name, { type, ...(enter && { enter }) }),
  };
  return lines > 1 ? <textarea {...common} rows={lines} /> : <input {...common} />;
}

export function Find(props: FieldProps) {
  return (
    <div class="find">
      <Icon name="search" />
      <Field {...props} />
    </div>
  );
}

export function Labelled({ label, note, ...field }: FieldProps & { label: string; note?: string | undefined }) {
  return (
    <div class="grow">
      <span class="label">{label}</span>
      <Field {...field} kind={note ? 'bad' : ''} />
      {note && <span class="bad-note">{note}</span>}
    </div>
  );
}

export interface Option {
  readonly key: string;
  readonly text: string;
  readonly icon?: AppIconName;
  readonly on?: boolean;
}

interface DropProps {
  name: string;
  ui: CommonUi;
  options: readonly Option[];
  choose: (key: string) => void;
  icon?: AppIconName;
  /** `end` aligns the list to the left, `above` places it above. */
  kind?: string;
  place?: string;
  children?: ComponentChildren;
}

/** The options are named `NAME-KEY`. */
export function Drop({ name, ui, options, choose, icon, kind = '', place = '', children }: DropProps) {
  return (
    <div class="drop">
      <div
        class={`btn ${kind} ${children ? '' : 'icon'}`}
        {...on(name, { press: () => (ui.menu = ui.menu === name ? '' : name) })}
      >
        {icon && <Icon name={icon} />}
        {children && <span>{children}</span>}
        {children && <Icon name="chevron" />}
      </div>
      {ui.menu === name && <List name={name} ui={ui} options={options} choose={choose} place={place} />}
    </div>
  );
}

interface ListProps {
  name: string;
  ui: CommonUi;
  options: readonly Option[];
  choose: (key: string) => void;
  place?: string;
  style?: string;
}

function List({ name, ui, options, choose, place = '', style = '' }: ListProps) {
  const pick = (key: string) => {
    ui.menu = '';
    choose(key);
  };
  return (
    <div class={`list ${place}`} style={style}>
      {options.map(({ key, text, icon, on: chosen }) => (
        <div key={key} class={`item ${chosen ? 'on' : ''}`} {...on(`${name}-${key}`, { press: () => pick(key) })}>
          {icon && <Icon name={icon} />}
          <span>{text}</span>
        </div>
      ))}
    </div>
  );
}

export function Tick({ name, on: ticked, press, round, children }: TickProps) {
  const box = <div class={`box ${ticked ? 'on' : ''} ${round ? 'round' : ''}`}>{ticked && <Icon name="check" />}</div>;
  return (
    <div class="tick" {...on(name, { press })}>
      {box}
      {children && <span>{children}</span>}
    </div>
  );
}

interface TickProps {
  name: string;
  on: boolean;
  press: () => void;
  round?: boolean;
  children?: ComponentChildren;
}

export function Switch({ name, on: set, press }: { name: string; on: boolean; press: () => void }) {
  return <div class={`switch ${set ? 'on' : ''}`} {...on(name, { press })} />;
}

export function Face({ person }: { person: string }) {
  let hue = 0;
  for (const letter of person) hue = (hue * 31 + letter.charCodeAt(0)) % 360;
  const letters = /^[a-z]/i.test(person)
    ? person
        .split(' ')
        .map((part) => part[0])
        .join('')
        .slice(0, 2)
    : person[0];
  return (
    <div class="face" style={`--hue:${hue}`}>
      {letters}
    </div>
  );
}

export function Dialog({ title, children, wide }: { title: string; children: ComponentChildren; wide?: boolean }) {
  return (
    <div class="veil">
      <div class="dialog" style={wide ? 'width:520px' : ''}>
        <div class="title">{title}</div>
        {children}
      </div>
    </div>
  );
}

export function Toast({ ui }: { ui: CommonUi }) {
  return ui.toast ? <div class="toast">{ui.toast}</div> : null;
}
