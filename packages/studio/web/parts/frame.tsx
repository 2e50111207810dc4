import { Link, Outlet, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RequestFailure } from '../api.js';
import { CommandLine } from '../palette/commandLine.js';
import { GlobalKeys } from '../palette/globalKeys.js';
import { useLiveQueries } from './useLiveQueries.js';

/** The header that all pages share. */
export function Frame() {
  const { run } = useParams({ strict: false });
  useLiveQueries();
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" className="brand">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M12 3a9 9 0 1 1-8.5 6" fill="none" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
            <path d="M12 8a4 4 0 1 1-3.8 2.7" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
          </svg>
          gyre studio
        </Link>
        <nav aria-label="Place">
          <Link to="/" activeOptions={{ exact: true }}>
            Runs
          </Link>
          <Link to="/results" search={{}} activeOptions={{ includeSearch: false }}>
            Results
          </Link>
          {run !== undefined && (
            <Link to="/runs/$run" params={{ run }} search={{}} activeOptions={{ exact: true, includeSearch: false }}>
              Training of {run}
            </Link>
          )}
          <Link to="/live">Live</Link>
          {run !== undefined && (
            <Link to="/runs/$run/episodes" params={{ run }} search={{}} activeOptions={{ includeSearch: false }}>
              Episodes of {run}
            </Link>
          )}
          {run !== undefined && (
            <>
              <Link to="/runs/$run/annotate" params={{ run }}>
                Annotate
              </Link>
              <Link to="/runs/$run/review" params={{ run }} search={{}} activeOptions={{ includeSearch: false }}>
                Review
              </Link>
            </>
          )}
        </nav>
        <GlobalKeys />
      </header>
      <main id="content">
        <Outlet />
        <CommandLine />
      </main>
    </>
  );
}

export function Problem({ error }: { readonly error: Error }) {
  const lost = error instanceof RequestFailure && error.status === 401;
  return (
    <p className="problem" role="alert">
      {lost ? 'This page has no valid token. Open the link that gyre studio printed.' : error.message}
      {!lost && error instanceof RequestFailure && error.fix !== undefined && <small>{error.fix}</small>}
    </p>
  );
}

export function Badge({
  kind,
  children,
}: {
  readonly kind: 'good' | 'bad' | 'live' | 'plain';
  readonly children: ReactNode;
}) {
  return <span className={`badge ${kind}`}>{children}</span>;
}
