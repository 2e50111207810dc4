import type { JudgeOptions } from '@gyre/tasks';
import { UsageError } from '../command.js';
import { servedModel } from '../policies/servedModel.js';

/**
 * Returns the model at an address, by default the first that is served there.
 *
 * @throws UsageError for an invalid address.
 * @throws GyreError `infra` or `bad_input` if no model server answers.
 */
export async function openJudge(url: string, name: string | undefined): Promise<JudgeOptions> {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--judge is "${url}"`, {
      field: '--judge',
      fix: 'use confidence, or the URL of an OpenAI-compatible server: http://127.0.0.1:8000/v1',
    });
  }
  const apiKey = process.env.JUDGE_API_KEY;
  // Also if the name is given: a missing server is reported before hours of play.
  const first = await servedModel(url, apiKey, '--judge');
  return { url, model: name ?? first, apiKey };
}
