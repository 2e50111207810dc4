import type {
  AnnotationState,
  CandidatesAnswer,
  ProceedAnswer,
  QueueAnswer,
  ReviewAnswer,
  ReviewsAnswer,
  SubmitAnswer,
} from '../../src/server/annotateWire.js';
import type { AgentAction, Mark } from '@gyre/protocol';
import { pathOf, read, send } from '../api.js';

export interface ClaimBody {
  readonly by: string;
  readonly policy: string;
  readonly families?: readonly string[];
  readonly licence?: string;
}

const base = (run: string): string => `${pathOf(run)}/annotation`;
const post = async <T>(path: string, body: object): Promise<T> => (await send(path, body)).json() as Promise<T>;
const verb = <T>(run: string, episode: string, name: string, body: object): Promise<T> =>
  post(`${base(run)}/episodes/${encodeURIComponent(episode)}/${name}`, body);

export interface ActBody {
  readonly index: number;
  readonly thought?: string;
  readonly actions: readonly AgentAction[];
  readonly candidate?: number;
}

export interface ReviewBody {
  readonly by: string;
  readonly success: boolean;
  readonly verdict: 'accept' | 'return';
  readonly reason?: string;
  readonly lastGoodTurn?: number;
  readonly turns?: readonly { readonly turn: number; readonly mark: Mark }[];
}

export const annotateApi = {
  queue: (run: string, families: readonly string[], signal: AbortSignal) =>
    read<QueueAnswer>(`${base(run)}/queue?${new URLSearchParams(families.map((name) => ['family', name]))}`, signal),
  claim: (run: string, body: ClaimBody) => post<AnnotationState>(`${base(run)}/claim`, body),
  candidates: (run: string, episode: string, index: number, again: boolean) =>
    verb<CandidatesAnswer>(run, episode, 'candidates', { index, again }),
  act: (run: string, episode: string, body: ActBody) => verb<AnnotationState>(run, episode, 'act', body),
  undo: (run: string, episode: string, index: number) => verb<AnnotationState>(run, episode, 'undo', { index }),
  proceed: (run: string, episode: string, index: number) => verb<ProceedAnswer>(run, episode, 'proceed', { index }),
  submit: (run: string, episode: string, body: { index: number; lastGood?: number; reason?: string }) =>
    verb<SubmitAnswer>(run, episode, 'submit', body),
  release: (run: string, episode: string, index: number) => verb<object>(run, episode, 'release', { index }),
  reviews: (run: string, signal: AbortSignal) => read<ReviewsAnswer>(`${base(run)}/reviews`, signal),
  review: (run: string, episode: string, body: ReviewBody) => verb<ReviewAnswer>(run, episode, 'review', body),
};
