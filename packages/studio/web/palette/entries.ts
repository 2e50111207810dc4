import type { UseNavigateResult } from '@tanstack/react-router';
import type { PageCommand } from '../../src/pageCommands.js';
import type { FindAnswer } from '../../src/server/findWire.js';
import type { RunEntry } from '../../src/server/wire.js';
import type { ListedKey } from '../parts/useKeys.js';
import type { Destination } from './globalKeys.js';
import { keyName } from './keyName.js';

export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly name: string;
  readonly more: string;
  /** It leaves the palette open. */
  readonly stays: boolean;
  readonly act: () => void;
}

interface Acts {
  readonly copy: (command: string) => void;
  readonly navigate: UseNavigateResult<string>;
}

interface Local extends Acts {
  readonly keys: readonly ListedKey[];
  readonly destinations: readonly Destination[];
  readonly runs: readonly RunEntry[];
  readonly commands: readonly PageCommand[];
}

/** Returns what the page itself knows: what it can do, pages, runs and command lines, by all words of a text. */
export function localEntries(
  text: string,
  { keys, destinations, runs, commands, copy, navigate }: Local,
): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/);
  const entries: Entry[] = [
    ...keys.map(({ keys: names, does, isFrame, press }) => ({
      ...{ id: `key ${does} ${isFrame}`, group: 'Do', name: does, more: names.map(keyName).join(' '), stays: false },
      // The dialog must have closed: what it does may need the focus.
      act: () => setTimeout(press),
    })),
    ...destinations.map(({ key, name, go }) => ({
      ...{ id: `page ${key}`, group: 'Go to', name, more: `g ${key}`, stays: false },
      act: go,
    })),
    ...runs.map(({ name, episodes, trains }) => ({
      ...{ id: `run ${name}`, group: 'Runs', name, stays: false },
      more: episodes === null ? '' : `${episodes.toLocaleString('en')} episodes`,
      act: () =>
        void navigate({ to: trains ? '/runs/$run' : '/runs/$run/episodes', params: { run: name }, search: {} }),
    })),
    ...commands.map(({ name, command }) => ({
      ...{ id: `command ${name}`, group: 'Copy the command', name, more: command, stays: true },
      act: () => copy(command),
    })),
  ];
  return entries.filter(({ group, name, more }) => {
    const known = `${group} ${name} ${more}`.toLowerCase();
    return words.every((word) => known.includes(word));
  });
}

/** Returns what the lakes have. */
export function foundEntries({ episodes, families }: FindAnswer, { copy, navigate }: Acts): readonly Entry[] {
  return [
    ...families.flatMap(({ family, instruction, task, runs }) => [
      ...runs.map(({ run, episodes: count }) => ({
        ...{ id: `family ${family} ${run}`, group: 'Tasks', name: `${family}: episodes in ${run}`, stays: false },
        more: count.toLocaleString('en'),
        act: () => void navigate({ to: '/runs/$run/episodes', params: { run }, search: { family: [family] } }),
      })),
      ...(task === undefined
        ? []
        : [
            {
              ...{ id: `play ${family}`, group: 'Tasks', name: `${family}: copy the command that plays it` },
              ...{ more: instruction, stays: true },
              act: () => copy(`npx gyre tasks play ${task}`),
            },
          ]),
    ]),
    ...episodes.map(({ run, id, instruction, policy, state, success }) => ({
      ...{ id: `episode ${run} ${id}`, group: 'Episodes', name: instruction === '' ? id : instruction, stays: false },
      more: [
        policy,
        success === null ? state.replaceAll('_', ' ') : success ? 'solved' : 'not solved',
        run,
        id.slice(0, 8),
      ].join(', '),
      act: () => {
        if (state === 'running') void navigate({ to: '/live/$run/$id', params: { run, id } });
        else void navigate({ to: '/runs/$run/episodes/$id', params: { run, id }, search: {} });
      },
    })),
  ];
}
