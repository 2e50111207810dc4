import { ModelRefusal } from './modelConnection.js';

type Body = Readonly<Record<string, unknown>>;

/** Something that a request can do without, or say differently. */
interface Concession {
  readonly name: string;
  readonly fields: readonly string[];
  /** What stands in their place. */
  readonly instead?: (body: Body) => Body;
}

/** In the order in which servers are most likely to want them. Ids and log-probabilities are of no use without each other. */
const concessions: readonly Concession[] = [
  { name: 'return_token_ids and logprobs', fields: ['return_token_ids', 'logprobs'] },
  { name: 'chat_template_kwargs', fields: ['chat_template_kwargs'] },
  {
    name: 'max_tokens (max_completion_tokens is sent in its place)',
    fields: ['max_tokens'],
    instead: ({ max_tokens: most }) => ({ max_completion_tokens: most }),
  },
  { name: 'seed', fields: ['seed'] },
  { name: 'top_p', fields: ['top_p'] },
  { name: 'temperature', fields: ['temperature'] },
];

/** What is left out for a server, and the words in which it refused it. */
interface Made {
  readonly concession: Concession;
  readonly words: string;
}

/**
 * Finds out by trying which parameters a server takes. As long as it has accepted nothing, a refused request is sent again with one
 * concession more. What it then accepts is what later requests begin with; each concession before the last may have been in vain, and a later
 * request tries to do without it. Once all is known, a refusal is about the prompt.
 */
export class Concessions {
  #made: readonly Made[] | undefined;
  /** Of `made`, those that may have been in vain. */
  #doubtful: readonly Made[] = [];

  /** Returns what is left out for the server, each with its words. */
  get notes(): string[] {
    const made = this.#made ?? [];
    return made.map(({ concession: { name }, words }) => `left out, since the server refuses it: ${name} (${words})`);
  }

  /** Posts a request in the fullest form that the server takes. Throws what `post` throws. */
  async send<T>(body: Body, post: (body: Body) => Promise<T>): Promise<T> {
    const possible = concessions.filter(({ fields }) => fields.some((field) => field in body));
    const made: Made[] = [];
    while (this.#made === undefined) {
      try {
        const answer = await post(without(body, made));
        // Another request may have been faster.
        if (this.#made === undefined) {
          this.#made = made;
          this.#doubtful = made.slice(0, -1);
        }
        return answer;
      } catch (error) {
        const concession = possible[made.length];
        if (!isOfParameters(error) || concession === undefined) throw error;
        made.push({ concession, words: error.message });
      }
    }
    return this.#sendKnown(body, post, this.#made);
  }

  async #sendKnown<T>(body: Body, post: (body: Body) => Promise<T>, made: readonly Made[]): Promise<T> {
    const [doubted, ...others] = this.#doubtful;
    if (doubted === undefined) return post(without(body, made));
    // No other request tries the same meanwhile.
    this.#doubtful = others;
    const doubtAgain = () => (this.#doubtful = [...this.#doubtful, doubted]);
    let refused: ModelRefusal;
    try {
      const answer = await post(
        without(
          body,
          made.filter((each) => each !== doubted),
        ),
      );
      this.#made = this.#made?.filter((each) => each !== doubted);
      return answer;
    } catch (error) {
      if (!isOfParameters(error)) {
        doubtAgain();
        throw error;
      }
      refused = error;
    }
    try {
      const answer = await post(without(body, made));
      const needed = { ...doubted, words: refused.message };
      this.#made = this.#made?.map((each) => (each === doubted ? needed : each));
      return answer;
    } catch (error) {
      // It may have been the prompt that was refused.
      doubtAgain();
      throw error;
    }
  }
}

/** A refusal that can be about parameters: not about a key, a model or the size of the request. */
const isOfParameters = (error: unknown): error is ModelRefusal =>
  error instanceof ModelRefusal && (error.status === 400 || error.status === 422);

function without(body: Body, made: readonly Made[]): Body {
  const dropped = new Set(made.flatMap(({ concession }) => concession.fields));
  const kept = Object.entries(body).filter(([field]) => !dropped.has(field));
  const instead = made.map(({ concession }) => concession.instead?.(body) ?? {});
  return Object.assign(Object.fromEntries(kept), ...instead) as Body;
}
