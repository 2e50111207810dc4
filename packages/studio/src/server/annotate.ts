import type { Lake } from '@gyre/lake';
import { GyreError, type Verdict } from '@gyre/protocol';
import type { FastifyInstance } from 'fastify';
import { turnWords } from '../actionWords.js';
import { agreementOf } from '../annotation/agreement.js';
import type { Annotation } from '../annotation/annotation.js';
import { AnnotationDesk } from '../annotation/annotationDesk.js';
import {
  ActRequest,
  type AnnotationState,
  CandidatesRequest,
  type CandidatesAnswer,
  ClaimRequest,
  IndexRequest,
  type PersonTotals,
  type ProceedAnswer,
  ProceedRequest,
  type QueueAnswer,
  QueueQuery,
  type ReviewAnswer,
  ReviewRequest,
  type ReviewsAnswer,
  type SubmitAnswer,
  SubmitRequest,
} from './annotateWire.js';
import type { ReplayTerms } from './replayRoutes.js';
import { checked, type Named } from './requests.js';

/** Adds routes by which people annotate tasks and review episodes. Returns a function that frees what they use. */
export function annotateRoutes(
  app: FastifyInstance,
  { access, runs, policies, machines }: ReplayTerms,
): () => Promise<void> {
  const desks = new Map<string, Promise<{ desk: AnnotationDesk; lake: Lake }>>();
  const deskOf = (run: string) => {
    const known = desks.get(run);
    if (known) return known;
    const opening = runs.open(run).then(({ directory, lake }) => {
      return { lake, desk: new AnnotationDesk({ directory, lake, machines, policies }) };
    });
    desks.set(run, opening);
    opening.catch(() => desks.delete(run));
    return opening;
  };
  const mayWatch = { onRequest: access.may('watch') };
  const mayAct = { onRequest: access.may('operate') };
  const base = '/api/runs/:run/annotation';
  const ofEpisode = `${base}/episodes/:id`;

  app.get<{ Params: Named }>(`${base}/queue`, mayWatch, async ({ params, query }): Promise<QueueAnswer> => {
    const { desk, lake } = await deskOf(params.run);
    return { ...(await desk.queue(checked(QueueQuery, query).family)), people: await peopleIn(lake) };
  });

  app.post<{ Params: Named }>(`${base}/claim`, mayAct, async ({ params, body }): Promise<AnnotationState> => {
    const { desk } = await deskOf(params.run);
    const annotation = await desk.claim(checked(ClaimRequest, body));
    if (annotation) return stateOf(annotation);
    throw new GyreError('bad_input', 'no task is free', {
      field: 'families',
      fix: 'choose other families, or wait until someone gives a task back',
    });
  });

  app.get<{ Params: Named }>(ofEpisode, mayWatch, async ({ params }) => {
    return stateOf((await deskOf(params.run)).desk.annotation(params.id));
  });

  app.post<{ Params: Named }>(
    `${ofEpisode}/candidates`,
    mayAct,
    async ({ params, body }): Promise<CandidatesAnswer> => {
      const { desk } = await deskOf(params.run);
      const { index, again } = checked(CandidatesRequest, body);
      // Sampling does not hold up a person who overrides meanwhile.
      const sampling = await desk.change(params.id, index, (annotation) =>
        Promise.resolve({ proposal: annotation.candidates({ again }), size: annotation.start.task.screen }),
      );
      const { candidates, malformed, reading } = await sampling.proposal;
      const words = candidates.map(({ actions }) =>
        turnWords({ actions, ...(reading && { reading }) }, sampling.size).join(', '),
      );
      return { index, candidates, words, malformed };
    },
  );

  app.post<{ Params: Named }>(`${ofEpisode}/act`, mayAct, async ({ params, body }): Promise<AnnotationState> => {
    const { desk } = await deskOf(params.run);
    const { index, ...turn } = checked(ActRequest, body);
    return desk.change(params.id, index, async (annotation) => {
      await annotation.act(turn);
      return stateOf(annotation);
    });
  });

  app.post<{ Params: Named }>(`${ofEpisode}/undo`, mayAct, async ({ params, body }): Promise<AnnotationState> => {
    const { desk } = await deskOf(params.run);
    return desk.change(params.id, checked(IndexRequest, body).index, async (annotation) => {
      await annotation.undo();
      return stateOf(annotation);
    });
  });

  app.post<{ Params: Named }>(`${ofEpisode}/proceed`, mayAct, async ({ params, body }): Promise<ProceedAnswer> => {
    const { desk } = await deskOf(params.run);
    const { index, ...terms } = checked(ProceedRequest, body);
    return desk.change(params.id, index, async (annotation) => {
      const taken = await annotation.proceed(terms);
      return { taken, state: stateOf(annotation) };
    });
  });

  app.post<{ Params: Named }>(`${ofEpisode}/submit`, mayAct, async ({ params, body }): Promise<SubmitAnswer> => {
    const { desk } = await deskOf(params.run);
    const { index, ...terms } = checked(SubmitRequest, body);
    const { id, verdict } = await desk.submit(params.id, index, terms);
    return { episode: id, success: verdict?.success ?? null };
  });

  app.post<{ Params: Named }>(`${ofEpisode}/release`, mayAct, async ({ params, body }) => {
    const { desk } = await deskOf(params.run);
    await desk.release(params.id, checked(IndexRequest, body).index);
    return {};
  });

  app.get<{ Params: Named }>(`${base}/reviews`, mayWatch, async ({ params }): Promise<ReviewsAnswer> => {
    const { desk, lake } = await deskOf(params.run);
    const reviews = await lake.reviews();
    const waiting = await desk.waiting();
    const ids = [...reviews.map(({ episode }) => episode), ...waiting.map(({ episode }) => episode)];
    const verdicts = new Map<string, Verdict>();
    for await (const { id, verdict } of lake.episodes({ ids })) {
      if (verdict) verdicts.set(id, verdict);
    }
    return {
      ...agreementOf(reviews, verdicts),
      waiting: waiting.map((each) => ({ ...each, success: verdicts.get(each.episode)?.success ?? null })),
    };
  });

  app.post<{ Params: Named }>(`${ofEpisode}/review`, mayAct, async ({ params, body }): Promise<ReviewAnswer> => {
    const { desk } = await deskOf(params.run);
    const review = checked(ReviewRequest, body);
    return { pools: await desk.review({ ...review, episode: params.id, at: new Date().toISOString() }) };
  });

  return async () => {
    const opened = await Promise.allSettled(desks.values());
    await Promise.all(opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value.desk.close()] : [])));
  };
}

function stateOf({ start, turns, by, policy, outcome }: Annotation): AnnotationState {
  const { id, family, instruction, stepBudget, screen } = start.task;
  return {
    ...{ episode: start.id, by, policy, screen, observation: start.observation },
    task: { id, family, instruction, stepBudget },
    turns: turns.map(({ index, by: person, thought, actions, edited, mark, observation }) => ({
      ...{ index, actions, observation },
      ...(person !== undefined && { by: person }),
      ...(thought !== undefined && { thought }),
      ...(edited && { edited }),
      ...(mark && { mark }),
    })),
    ...(outcome && { outcome: { end: outcome.end, ...(outcome.verdict && { verdict: outcome.verdict }) } }),
  };
}

const peopleSql = `SELECT person, count(DISTINCT episode_id), count(*),
    count(*) FILTER (candidates IS NOT NULL AND NOT list_contains(json_extract(candidates, '$[*].chosen')::BOOLEAN[], true)),
    count(*) FILTER (edited IS NOT NULL)
  FROM turns WHERE purpose = 'annotation' AND person IS NOT NULL AND state <> 'cut'
  GROUP BY person ORDER BY person`;

async function peopleIn(lake: Lake): Promise<PersonTotals[]> {
  const { rows } = await lake.sql(peopleSql);
  return rows.map(([by, episodes, turns, overridden, edited]) => ({
    by: String(by),
    ...{ episodes: Number(episodes), turns: Number(turns), overridden: Number(overridden), edited: Number(edited) },
  }));
}
