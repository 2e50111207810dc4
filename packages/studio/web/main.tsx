import './style.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { AnnotatePage } from './annotate/annotatePage.js';
import { ReviewPage } from './annotate/reviewPage.js';
import { RequestFailure } from './api.js';
import { ComparePage, compareSearch } from './episodes/comparePage.js';
import { EpisodePage } from './episodes/episodePage.js';
import { EpisodesPage } from './episodes/episodesPage.js';
import { episodeSearch } from './episodes/episodeSearch.js';
import { CockpitPage } from './live/cockpitPage.js';
import { WallPage } from './live/wallPage.js';
import { Frame } from './parts/frame.js';
import { RunsPage } from './runs/runsPage.js';
import { resultsSearch } from './results/resultsSearch.js';
import { trainingSearch } from './training/trainingSearch.js';
import { textIn, turnIn } from './parts/search.js';

const root = createRootRoute({ component: Frame });
const runs = createRoute({ getParentRoute: () => root, path: '/', component: RunsPage });
const episodes = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run/episodes',
  component: EpisodesPage,
  validateSearch: episodeSearch,
});
const episode = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run/episodes/$id',
  component: EpisodePage,
  validateSearch: (search: Record<string, unknown>) => turnIn(search.turn),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run/compare',
  component: ComparePage,
  validateSearch: compareSearch,
});

const training = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run',
  component: lazyRouteComponent(() => import('./training/trainingPage.js'), 'TrainingPage'),
  validateSearch: trainingSearch,
});
const results = createRoute({
  getParentRoute: () => root,
  path: '/results',
  component: lazyRouteComponent(() => import('./results/resultsPage.js'), 'ResultsPage'),
  validateSearch: resultsSearch,
});

const wall = createRoute({ getParentRoute: () => root, path: '/live', component: WallPage });
const cockpit = createRoute({ getParentRoute: () => root, path: '/live/$run/$id', component: CockpitPage });

const annotate = createRoute({ getParentRoute: () => root, path: '/runs/$run/annotate', component: AnnotatePage });
const review = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run/review',
  component: ReviewPage,
  validateSearch: (search: Record<string, unknown>): { episode?: string } =>
    textIn(search.episode) === '' ? {} : { episode: textIn(search.episode) },
});

const pages = [runs, episodes, episode, compare, training, results, wall, cockpit, annotate, review];
const router = createRouter({ routeTree: root.addChildren(pages) });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const client = new QueryClient({
  defaultOptions: {
    queries: { retry: (count, error) => !(error instanceof RequestFailure) && count < 2, refetchOnWindowFocus: false },
  },
});

createRoot(document.getElementById('page')!).render(
  <QueryClientProvider client={client}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
