import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { find } from './findApi.js';
import type { Destination } from './globalKeys.js';
import { Modal } from './modal.js';
import { type Entry, localEntries, foundEntries } from './entries.js';
import { usePageCommands, useRuns } from './place.js';
import { listedKeys } from '../parts/useKeys.js';

interface PaletteProps {
  readonly destinations: readonly Destination[];
  readonly close: () => void;
}

const typingMs = 150;

/** Finds runs, episodes, families, pages and commands by a text. */
export default function Palette({ destinations, close }: PaletteProps) {
  const [text, setText] = useState('');
  const settled = useSettled(text.trim());
  const [keys] = useState(listedKeys);
  const navigate = useNavigate();
  const runs = useRuns();
  const commands = usePageCommands();
  const { data, error, isFetching } = useQuery({
    queryKey: ['find', settled],
    queryFn: ({ signal }) => find(settled, signal),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  const [notice, setNotice] = useState('');
  const copy = (command: string): void =>
    void navigator.clipboard.writeText(command).then(
      () => setNotice(`Copied: ${command}`),
      () => setNotice(`Copy it by hand: ${command}`),
    );
  const entries = [
    ...localEntries(text, { keys, destinations, runs, commands, copy, navigate }),
    ...(data && text.trim() !== '' ? foundEntries(data, { copy, navigate }) : []),
  ];
  const [chosen, setChosen] = useState(0);
  const position = Math.min(chosen, Math.max(0, entries.length - 1));
  const id = useId();
  const optionId = (index: number): string => `${id}-${index}`;
  useEffect(() => {
    // Braces: it returns a promise in newer browsers, and effects return what cleans up.
    document.getElementById(`${id}-${position}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, position]);
  const take = (entry: Entry | undefined): void => {
    if (!entry) return;
    // What it does may need the focus, or show another page.
    if (!entry.stays) close();
    entry.act();
  };
  const onKey = (event: KeyboardEvent): void => {
    const to = { ArrowDown: position + 1, ArrowUp: position - 1 }[event.key];
    if (to !== undefined) setChosen((to + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') take(entries[position]);
    else return;
    event.preventDefault();
  };
  const groups = [...new Set(entries.map(({ group }) => group))];
  const isSearching = isFetching || settled !== text.trim();
  return (
    <Modal label="Find" close={close}>
      <input
        className="palette-text"
        role="combobox"
        aria-label="Run, episode, task, page or command"
        placeholder="Run, episode, task, page or command"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length > 0 ? optionId(position) : undefined}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        value={text}
        maxLength={200}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
          setNotice('');
        }}
        onKeyDown={onKey}
      />
      <div className="palette-list" role="listbox" id={`${id}-list`} aria-label="Found">
        {groups.map((group) => (
          <div role="group" key={group} aria-label={group}>
            <span className="palette-group" aria-hidden="true">
              {group}
            </span>
            {entries.map((entry, index) =>
              entry.group === group ? (
                <Option
                  key={entry.id}
                  id={optionId(index)}
                  entry={entry}
                  isChosen={index === position}
                  take={() => take(entry)}
                />
              ) : null,
            )}
          </div>
        ))}
      </div>
      <p className="palette-notice" role="status">
        {notice !== ''
          ? notice
          : error && settled !== ''
            ? error.message
            : isSearching
              ? 'Searching …'
              : entries.length === 0
                ? 'Nothing is called so. Episodes are found by their instruction or the beginning of an id.'
                : ''}
      </p>
    </Modal>
  );
}

interface OptionProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isChosen: boolean;
  readonly take: () => void;
}

function Option({ id, entry: { name, more }, isChosen, take }: OptionProps) {
  return (
    <div role="option" id={id} aria-selected={isChosen} className="palette-option" onClick={take}>
      <span>{name}</span>
      {more !== '' && <small>{more}</small>}
    </div>
  );
}

/** Returns a text when it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    timer.current = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer.current);
  }, [text]);
  return settled;
}
