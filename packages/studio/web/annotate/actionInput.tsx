import { type KeyboardEvent, useId, useState } from 'react';
import {
  actionTypes,
  type AgentAction,
  calls,
  describeAction,
  parseClassic,
  printT5,
  type TurnResult,
} from '@gyre/protocol';

const names = actionTypes.map((type) => calls[type].name);
const keys = [
  'enter',
  'tab',
  'escape',
  'backspace',
  'delete',
  'space',
  'arrowup',
  'arrowdown',
  'arrowleft',
  'arrowright',
];
const modified = ['ctrl a', 'ctrl c', 'ctrl v', 'ctrl z', 'alt tab', 'shift tab'];

/** Returns the rest of the function or key that the text begins to name; '' if it is not unique or complete. */
function completionOf(text: string): string {
  const key = /key='([^']*)$/.exec(text)?.[1];
  const [start, candidates, end] =
    key !== undefined ? [key, [...keys, ...modified], "')"] : [/^\w*$/.exec(text)?.[0], names, '('];
  if (start === undefined || start === '') return '';
  const whole = candidates.filter((name) => name.startsWith(start));
  const [first] = whole;
  if (first === undefined) return '';
  if (whole.length === 1 || first === start) return first.slice(start.length) + closing(first, end);
  let common = start.length;
  while (whole.every((name) => name[common] !== undefined && name[common] === first[common])) common++;
  return first.slice(start.length, common);
}

function closing(name: string, end: string): string {
  const parameters = Object.values(calls).find((call) => call.name === name)?.parameters ?? [];
  const [only] = parameters.filter(({ optional }) => !optional);
  if (end !== '(') return end;
  return only && only.kind !== 'point' ? `(${only.name}='` : parameters.length === 0 ? '()' : '(';
}

/** Reads `type(content='abc')`, or several such calls. */
const readAction = (text: string): TurnResult => parseClassic(`Action: ${text.trim()}`);

interface ActionInputProps {
  readonly initial: string;
  readonly disabled: boolean;
  readonly onAction: (actions: readonly AgentAction[]) => void;
  readonly onCancel: () => void;
}

/** A line in which a person writes an action in UI-TARS' syntax. Tab completes, Enter carries out. */
export function ActionInput({ initial, disabled, onAction, onCancel }: ActionInputProps) {
  const [text, setText] = useState(initial);
  const id = useId();
  const read = text.trim() === '' ? undefined : readAction(text);
  const completion = completionOf(text);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab' && completion !== '' && !event.shiftKey) {
      event.preventDefault();
      setText(text + completion);
    }
    if (event.key === 'Escape') onCancel();
  };
  return (
    <form
      className="action-input"
      onSubmit={(event) => {
        event.preventDefault();
        if (read?.ok && !disabled) onAction(read.actions);
      }}
    >
      <label>
        Action
        <input
          autoFocus
          spellCheck={false}
          autoComplete="off"
          value={text}
          aria-describedby={id}
          placeholder="type(content='karo')"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <p id={id} className="fine">
        {completion !== '' && (
          <>
            <kbd>Tab</kbd> {text}
            <b>{completion}</b>{' '}
          </>
        )}
        {read?.ok && (
          <>
            <kbd>Enter</kbd> {read.actions.map(describeAction).join(', ')}{' '}
            <code>{printT5({ actions: read.actions })}</code>
          </>
        )}
        {read && !read.ok && completion === '' && read.error.message}
      </p>
    </form>
  );
}
