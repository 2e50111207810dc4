import { ModelRefusal } from './modelConnection.js';

type Body = Readonly<Record<string, unknown>>;

interface ParameterFallback {
  readonly name: string;
  readonly fields: readonly string[];
  readonly instead?: (body: Body) => Body;
}

/** Most likely first. Ids and log-probabilities are useless without each other. */
const fallbacks: readonly ParameterFallback[] = [
  { name: 'return_token_ids and logprobs', fields: ['return_token_ids', 'logprobs'] },
  { name: 'chat_template_kwargs', fields: ['chat_template_kwargs'] },
  {
    name: 'max_tokens (max_completion_tokens is sent instead)',
    fields: ['max_tokens'],
    instead: ({ max_tokens: maxTokens }) => ({ max_completion_tokens: maxTokens }),
  },
  { name: 'seed', fields: ['seed'] },
  { name: 'top_p', fields: ['top_p'] },
  { name: 'temperature', fields: ['temperature'] },
];

interface Applied {
  readonly concession: ParameterFallback;
  readonly words: string;
}

/**
 * Probes which parameters a server accepts. Each refusal is retried with one more concession, and later requests start
 * from there. All but the last may have been unnecessary, so later requests probe without each. Afterwards, a refusal
 * concerns the prompt.
 */
export class ParameterFallbacks {
  #applied: readonly Applied[] | undefined;
  #doubtful: readonly Applied[] = [];

  get notes(): string[] {
    const applied = this.#applied ?? [];
    return applied.map(
      ({ concession: { name }, words }) => `omitted because the server rejects it: ${name} (${words})`,
    );
  }

  async send<T>(body: Body, post: (body: Body) => Promise<T>): Promise<T> {
    const possible = fallbacks.filter(({ fields }) => fields.some((field) => field in body));
    const applied: Applied[] = [];
    // A concurrent request may settle it.
    const isKnown = () => this.#applied !== undefined;
    while (!isKnown()) {
      try {
        const answer = await post(without(body, applied));
        if (!isKnown()) {
          this.#applied = applied;
          this.#doubtful = applied.slice(0, -1);
        }
        return answer;
      } catch (error) {
        const concession = possible[applied.length];
        if (!concernsParameters(error) || concession === undefined) throw error;
        applied.push({ concession, words: error.message });
      }
    }
    return this.#sendKnown(body, post, this.#applied ?? applied);
  }

  async #sendKnown<T>(body: Body, post: (body: Body) => Promise<T>, applied: readonly Applied[]): Promise<T> {
    const [doubted, ...others] = this.#doubtful;
    if (doubted === undefined) return post(without(body, applied));
    // Keeps concurrent requests from probing the same concession.
    this.#doubtful = others;
    const doubtAgain = () => (this.#doubtful = [...this.#doubtful, doubted]);
    let refused: ModelRefusal;
    try {
      const answer = await post(
        without(
          body,
          applied.filter((each) => each !== doubted),
        ),
      );
      this.#applied = this.#applied?.filter((each) => each !== doubted);
      return answer;
    } catch (error) {
      if (!concernsParameters(error)) {
        doubtAgain();
        throw error;
      }
      refused = error;
    }
    try {
      const answer = await post(without(body, applied));
      const needed = { ...doubted, words: refused.message };
      this.#applied = this.#applied?.map((each) => (each === doubted ? needed : each));
      return answer;
    } catch (error) {
      // The refusal may concern the prompt.
      doubtAgain();
      throw error;
    }
  }
}

/** Excludes refusals about the key, the model or the request's size. */
const concernsParameters = (error: unknown): error is ModelRefusal =>
  error instanceof ModelRefusal && (error.status === 400 || error.status === 422);

function without(body: Body, applied: readonly Applied[]): Body {
  const dropped = new Set(applied.flatMap(({ concession }) => concession.fields));
  const remaining = Object.entries(body).filter(([field]) => !dropped.has(field));
  const instead = applied.map(({ concession }) => concession.instead?.(body) ?? {});
  return Object.assign(Object.fromEntries(remaining), ...instead) as Body;
}
