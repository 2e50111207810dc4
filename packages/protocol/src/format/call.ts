import { AgentAction } from '../action/sdkCall.js';
import type { SdkKind } from '../action/sdkValue.js';
import { requireAction } from './requireAction.js';

export type Kind = 'point' | 'text' | 'direction' | 'button' | 'seconds' | SdkKind;

export interface Parameter {
  readonly name: string;
  readonly field: string;
  readonly kind: Kind;
  readonly optional?: true;
}

/** Lower-case aliases, as in the formats' public readers. */
const parameterAliases: Readonly<Record<string, readonly string[]>> = {
  point: [
    'start_box',
    'startbox',
    'start_point',
    'start',
    'box',
    'position',
    'coordinate',
    'coordinates',
    'start_coordinate',
  ],
  start_point: ['start_box', 'startbox', 'start', 'start_position', 'start_coordinate', 'start_coordinates', 'point'],
  end_point: ['end_box', 'endbox', 'end', 'end_position', 'end_coordinate', 'end_coordinates'],
  button: ['mouse_button', 'mousebutton'],
  direction: ['dir', 'scroll_direction', 'scrolldirection'],
  content: ['text', 'input_text', 'inputtext', 'url', 'link', 'website', 'answer', 'value'],
  key: ['keys', 'hotkey', 'keyname', 'keyboard_key', 'keyboardkey', 'press', 'release'],
  app_name: ['appname', 'name', 'application', 'content'],
  time: ['duration', 'wait_time', 'waittime', 'delay', 'seconds'],
};

export function parameterNamed(parameters: readonly Parameter[], spelling: string): Parameter | undefined {
  const lower = spelling.toLowerCase();
  return (
    parameters.find(({ name }) => name === spelling) ??
    parameters.find(({ name }) => name === lower) ??
    parameters.find(({ name }) => parameterAliases[name]?.includes(lower))
  );
}

export interface Call {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly parameters: readonly Parameter[];
}

const point: Parameter = { name: 'point', field: 'point', kind: 'point' };
const maybePoint: Parameter = { ...point, optional: true };
const maybeButton: Parameter = { name: 'button', field: 'button', kind: 'button', optional: true };
const path: readonly Parameter[] = [
  { name: 'start_point', field: 'start', kind: 'point' },
  { name: 'end_point', field: 'end', kind: 'point' },
];
const text = (name: string, field: string): Parameter => ({ name, field, kind: 'text' });
const maybeText = (name: string, field: string): Parameter => ({ ...text(name, field), optional: true });
const maybeSeconds = (name: string): Parameter => ({ name, field: 'seconds', kind: 'seconds', optional: true });

/** Names follow the public T5 prompt. */
export const calls: Readonly<Record<AgentAction['type'], Call>> = {
  screenshot: {
    name: 'screenshot',
    // The computer is already open.
    aliases: ['snapshot', 'take_screenshot', 'takescreenshot', 'open_computer'],
    parameters: [],
  },
  click: { name: 'click', aliases: ['left_click', 'left_single', 'leftclick', 'leftsingle'], parameters: [point] },
  right_click: { name: 'right_single', aliases: ['right_click', 'rightclick', 'rightsingle'], parameters: [point] },
  double_click: { name: 'left_double', aliases: ['double_click', 'doubleclick', 'leftdouble'], parameters: [point] },
  middle_click: {
    name: 'middle_click',
    aliases: ['middle_single', 'middleclick', 'middlesingle'],
    parameters: [point],
  },
  mouse_down: { name: 'mouse_down', aliases: ['mousedown'], parameters: [maybePoint, maybeButton] },
  mouse_up: { name: 'mouse_up', aliases: ['mouseup'], parameters: [maybePoint, maybeButton] },
  mouse_move: { name: 'move_to', aliases: ['mouse_move', 'move', 'hover', 'moveto', 'mousemove'], parameters: [point] },
  drag: { name: 'drag', aliases: ['left_click_drag', 'select', 'leftclickdrag'], parameters: path },
  scroll: {
    name: 'scroll',
    parameters: [{ name: 'direction', field: 'direction', kind: 'direction' }, maybePoint],
  },
  type: { name: 'type', parameters: [text('content', 'text')] },
  hotkey: { name: 'hotkey', parameters: [text('key', 'keys')] },
  press: { name: 'press', aliases: ['keydown', 'key_down'], parameters: [text('key', 'key')] },
  release: { name: 'release', aliases: ['keyup', 'key_up'], parameters: [text('key', 'key')] },
  navigate: { name: 'navigate', parameters: [text('content', 'url')] },
  navigate_back: { name: 'navigate_back', aliases: ['navigateback'], parameters: [] },
  long_press: { name: 'long_press', aliases: ['longpress'], parameters: [point] },
  swipe: { name: 'swipe', parameters: path },
  press_home: { name: 'press_home', aliases: ['home', 'presshome'], parameters: [] },
  press_back: { name: 'press_back', aliases: ['back', 'pressback'], parameters: [] },
  open_app: { name: 'open_app', aliases: ['open', 'openapp'], parameters: [text('app_name', 'name')] },
  wait: { name: 'wait', parameters: [maybeSeconds('time')] },
  finished: { name: 'finished', parameters: [maybeText('content', 'answer')] },
  call_user: { name: 'call_user', aliases: ['calluser'], parameters: [] },
  execute_bash: {
    name: 'execute_bash',
    parameters: [
      text('command', 'command'),
      { name: 'is_input', field: 'input', kind: 'boolean', optional: true },
      maybeSeconds('timeout'),
    ],
  },
  str_replace_editor: {
    name: 'str_replace_editor',
    parameters: [
      { name: 'command', field: 'command', kind: 'command' },
      text('path', 'path'),
      maybeText('file_text', 'text'),
      maybeText('old_str', 'old'),
      maybeText('new_str', 'new'),
      { name: 'insert_line', field: 'afterLine', kind: 'integer', optional: true },
      { name: 'view_range', field: 'lines', kind: 'lines', optional: true },
    ],
  },
  jupyter: { name: 'JupyterCI', aliases: ['jupyter'], parameters: [text('code', 'code'), maybeSeconds('timeout')] },
  search: { name: 'Search', aliases: ['search'], parameters: [text('query', 'query')] },
  link_reader: {
    name: 'LinkReader',
    aliases: ['link_reader'],
    parameters: [text('url', 'url'), maybeText('description', 'description')],
  },
  mcp_tool: {
    name: 'mcp_tool',
    parameters: [
      text('server', 'server'),
      text('name', 'tool'),
      { name: 'arguments', field: 'arguments', kind: 'json', optional: true },
    ],
  },
};

export const typeOf: ReadonlyMap<string, AgentAction['type']> = new Map<string, AgentAction['type']>(
  (Object.keys(calls) as AgentAction['type'][]).flatMap((type) =>
    [calls[type].name, ...(calls[type].aliases ?? [])].map((name): [string, AgentAction['type']] => [name, type]),
  ),
);

const lowerTypes: ReadonlyMap<string, AgentAction['type']> = new Map(
  [...typeOf].map(([name, type]): [string, AgentAction['type']] => [name.toLowerCase(), type]),
);

export function typeNamed(name: string): AgentAction['type'] | undefined {
  return typeOf.get(name) ?? lowerTypes.get(name.toLowerCase());
}

/** E.g. `Click`. */
export function isMiscased(name: string): boolean {
  return !typeOf.has(name) && lowerTypes.has(name.toLowerCase());
}

/** @throws GyreError `bad_input` for an invalid action, with its `index`. */
export function callOf(action: AgentAction, index: number): { name: string; args: [Parameter, unknown][] } {
  requireAction(action, index);
  const { name, parameters } = calls[action.type];
  const fields = action as Readonly<Record<string, unknown>>;
  const args = parameters.map((parameter): [Parameter, unknown] => [parameter, fields[parameter.field]]);
  return { name, args: args.filter(([, value]) => value !== undefined) };
}

/** `named` gives parameter names for messages. */
export function actionOf(
  name: string,
  fields: { readonly type: AgentAction['type'] } & Readonly<Record<string, unknown>>,
  named: (parameter: Parameter) => string = (parameter) => parameter.name,
): AgentAction | { readonly wrong: string } {
  const { parameters } = calls[fields.type];
  const missing = parameters.find(({ field, optional }) => !optional && !(field in fields));
  if (missing) return { wrong: `${name} needs the parameter "${named(missing)}"` };
  const action = AgentAction.safeParse(fields);
  if (action.success) return action.data;
  const issue = action.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const alien = parameters.find(({ field }) => issue.keys.includes(field));
    return { wrong: `${name} does not take ${alien ? `"${named(alien)}"` : issue.keys.join(', ')} here` };
  }
  const parameter = parameters.find(({ field }) => field === issue?.path[0]);
  if (parameter && fields[parameter.field] === undefined)
    return { wrong: `${name} needs the parameter "${named(parameter)}" here` };
  const where = parameter ? `: "${parameter.name}"` : '';
  return { wrong: `${name}${where}: ${issue?.message ?? 'it matches no schema'}` };
}
