import type { Verdict } from '@gyre/protocol';
import type { Verifier } from '@gyre/sandbox';
import type { JudgeOptions } from '../../family/judgement.js';
import { type Judged, type Judgement, judge } from './judge.js';

/**
 * Lets a language model judge answers that the verifier rejects. An accepted one earns full reward, and the verdict's
 * source is `judge`. Throws what `judge` throws.
 */
export function withAnswerJudge(run: Verifier, options: JudgeOptions): Verifier {
  let judgement: Promise<Judgement> | undefined;
  let paid = false;
  const judged = async (verdict: Verdict): Promise<Judgement | undefined> => {
    const { question, reference, answer } = verdict.evidence as Partial<Judged>;
    if (verdict.success || !question || !reference || !answer) return undefined;
    judgement ??= judge({ question, reference, answer }, options);
    return judgement;
  };
  return {
    ...run,
    async step(finished) {
      const step = await run.step(finished);
      if (!step.done || paid) return step;
      const ruling = await judged(await run.verdict());
      if (!ruling?.correct) return step;
      paid = true;
      return { ...step, reward: step.reward + 1 };
    },
    async verdict() {
      const verdict = await run.verdict();
      const ruling = await judged(verdict);
      if (!ruling) return verdict;
      const evidence = { ...verdict.evidence, judgement: ruling.text };
      return { success: ruling.correct, score: ruling.correct ? 1 : 0, source: 'judge', evidence };
    },
  };
}
