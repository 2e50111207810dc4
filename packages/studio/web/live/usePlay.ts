import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { NextTask } from '../../src/server/liveWire.js';
import { send } from '../api.js';
import { person } from './liveApi.js';

export interface Play {
  readonly name: string;
  readonly setName: (name: string) => void;
  readonly isOpening: boolean;
  readonly error: Error | undefined;
  /** Begins an episode that the person plays, by a POST with their name, and opens its cockpit. */
  readonly begin: (path: string, terms: Readonly<Record<string, unknown>>) => void;
}

/** Begins episodes that a person plays. Remembers the name. */
export function usePlay(): Play {
  const navigate = useNavigate();
  const [name, setName] = useState(person.name);
  const [isOpening, setOpening] = useState(false);
  const [error, setError] = useState<Error>();
  const begin: Play['begin'] = (path, terms) => {
    person.name = name;
    setError(undefined);
    setOpening(true);
    send(path, { ...terms, by: name.trim() })
      .then((response) => response.json() as Promise<NextTask>)
      .then(
        (begun) => void navigate({ to: '/live/$run/$id', params: begun }),
        (failure: unknown) => {
          setOpening(false);
          setError(failure as Error);
        },
      );
  };
  return { name, setName, isOpening, error, begin };
}
