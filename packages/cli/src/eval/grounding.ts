import { detailOf, type GroundingSample, groundingReport } from '@gyre/benchmarks';
import type { Size } from '@gyre/protocol';
import { answerQuestions, type Share, wilson } from '@gyre/training';
import { writeFile } from 'node:fs/promises';
import type { Invocation, Outcome } from '../command.js';
import type { OpenPolicy } from '../policies/policies.js';
import { share } from '../terminal/resultTable.js';
import { table } from '../terminal/table.js';

export interface GroundingPlan {
  readonly samples: readonly GroundingSample[];
  readonly size?: Size | undefined;
  readonly sessions: number;
  /** File for ScreenSpot-Pro's scripts. */
  readonly results?: string | undefined;
}

interface GroundingResult extends Share {
  by: 'all' | 'ui type' | 'platform' | 'group';
  name: string;
  n: number;
}

/** Asks a policy to point at every target of a set. An unanswered question counts as wrong. */
export async function evaluateGrounding(
  { samples, size, sessions, results: file }: GroundingPlan,
  { policy, screenshots }: OpenPolicy,
  { terminal, signal, seed }: Invocation,
): Promise<Outcome> {
  const progress = terminal.progress('perception');
  const answers = await answerQuestions({ policy, screenshots }, samples, {
    ...{ size, sessions, seed, signal },
    onAnswers: (count) => progress.update(count / samples.length, `${count} of ${samples.length} questions`),
  });
  terminal.end();
  const answered = samples.flatMap((sample, index) => {
    const answer = answers[index];
    return answer ? [{ sample, answer, detail: detailOf(sample, answer, answer.size) }] : [];
  });
  const details = answered.map(({ detail }) => detail);
  const rows = groundingResults(
    answered.map(({ sample, detail }) => ({ sample, correct: detail.correctness === 'correct' })),
  );
  for (const line of groundingLines(rows)) terminal.print(line);
  const silent = details.filter(({ correctness }) => correctness === 'wrong_format').length;
  if (silent > 0) terminal.print(`${silent} answers had no point`);
  const failures = answered.filter(({ answer }) => answer.failed !== undefined);
  if (failures.length > 0) {
    const [{ sample, answer }] = failures as [(typeof failures)[number]];
    terminal.print(`${failures.length} questions were given up, such as ${sample.id}: ${answer.failed}`);
  }
  if (file !== undefined) await writeFile(file, `${JSON.stringify(groundingReport(details), undefined, 2)}\n`);
  const complete = answered.length === samples.length && failures.length === 0;
  return {
    ok: complete,
    result: {
      policy: policy.name,
      questions: samples.length,
      results: rows,
      noPoint: silent,
      givenUp: failures.length,
    },
  };
}

function groundingResults(
  judged: readonly { readonly sample: GroundingSample; readonly correct: boolean }[],
): GroundingResult[] {
  const facets: Record<GroundingResult['by'], (sample: GroundingSample) => readonly (string | undefined)[]> = {
    all: () => ['all'],
    'ui type': ({ uiType }) => [uiType],
    platform: ({ platform }) => [platform],
    group: ({ groups }) => groups,
  };
  return Object.entries(facets).flatMap(([by, namesOf]) => {
    const names = [...new Set(judged.flatMap(({ sample }) => namesOf(sample)))];
    return names.flatMap((name) => {
      if (name === undefined) return [];
      const members = judged.filter(({ sample }) => namesOf(sample).includes(name));
      const correct = members.filter((each) => each.correct).length;
      return [{ by: by as GroundingResult['by'], name, n: members.length, ...wilson(correct, members.length) }];
    });
  });
}

function groundingLines(results: readonly GroundingResult[]): string[] {
  const rows = results.map((each) => [each.by, each.name, String(each.n), share(each)]);
  return table(['by', 'name', 'questions', 'right'], rows);
}
