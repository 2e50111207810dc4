import type { Verdict } from '@gyre/protocol';
import type { Verifier } from '@gyre/sandbox';
import type { JudgeOptions } from '../../family/judgement.js';
import { type Judged, type Judgement, judge } from './judge.js';

/**
 * Lets a language model judge rejected answers. An accepted one earns full reward, and the verdict's source is `judge`.
 * Throws what `judge` throws.
 */
export function judgedRun(run: Verifier, options: JudgeOptions): Verifier {
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
      const said = await judged(await run.verdict());
      if (!said?.correct) return step;
      paid = true;
      return { ...step, reward: step.reward + 1 };
    },
    async verdict() {
      const verdict = await run.verdict();
      const said = await judged(verdict);
      if (!said) return verdict;
      const evidence = { ...verdict.evidence, judgement: said.text };
      return { success: said.correct, score: said.correct ? 1 : 0, source: 'judge', evidence };
    },
  };
}
