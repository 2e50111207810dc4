import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { followKeys, useKeys } from '../parts/useKeys.js';
import { useRuns } from './place.js';
import './palette.css';

const Palette = lazy(() => import('./palette.js'));
const KeyOverlay = lazy(() => import('./keyOverlay.js'));

export interface Destination {
  /** After `g`. */
  readonly key: string;
  readonly name: string;
  readonly go: () => void;
}

/** Returns the pages that keys lead to. Those of a run are of the shown one, or else of the first. */
function useDestinations(): Destination[] {
  const navigate = useNavigate();
  const current = useParams({ strict: false }).run;
  const [first] = useRuns();
  const run = current ?? first?.name;
  const ofRun =
    run === undefined
      ? []
      : [
          { key: 'e', name: `Episodes of ${run}`, go: () => navigate({ to: '/runs/$run/episodes', params: { run } }) },
          { key: 't', name: `Training of ${run}`, go: () => navigate({ to: '/runs/$run', params: { run } }) },
          { key: 'a', name: `Annotate in ${run}`, go: () => navigate({ to: '/runs/$run/annotate', params: { run } }) },
        ];
  const destinations = [
    { key: 'h', name: 'Runs', go: () => navigate({ to: '/' }) },
    { key: 'l', name: 'Live', go: () => navigate({ to: '/live' }) },
    ...ofRun,
    { key: 'r', name: 'Results', go: () => navigate({ to: '/results' }) },
  ];
  return destinations.map(({ go, ...rest }) => ({ ...rest, go: () => void go() }));
}

/** The palette, the overlay of keys, and the keys that every page has. */
export function GlobalKeys() {
  const [opened, setOpened] = useState<'palette' | 'keys'>();
  const destinations = useDestinations();
  // The browser tells later that one has closed: the other may be open by then.
  const closer = (which: typeof opened) => () => setOpened((now) => (now === which ? undefined : now));
  useKeys(
    {
      g: () => followKeys(Object.fromEntries(destinations.map(({ key, go }) => [key, go]))),
      '?': () => setOpened('keys'),
    },
    { '?': 'these keys' },
    true,
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      // A person who has a session types into it.
      if (event.defaultPrevented) return;
      event.preventDefault();
      setOpened((before) => (before === 'palette' ? undefined : 'palette'));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button className="find" onClick={() => setOpened('palette')} aria-keyshortcuts="Control+K Meta+K">
        Find <kbd>ctrl k</kbd>
      </button>
      <button className="find" onClick={() => setOpened('keys')} aria-label="Keys" aria-keyshortcuts="?">
        <kbd>?</kbd>
      </button>
      <Suspense>
        {opened === 'palette' && <Palette destinations={destinations} close={closer('palette')} />}
        {opened === 'keys' && <KeyOverlay destinations={destinations} close={closer('keys')} />}
      </Suspense>
    </>
  );
}
