import { join } from 'node:path';
import { ChatLanguage, type Language, NativeLanguage, type Policy, sampledPolicy } from '@gyre/agent';
import {
  type Engine,
  mergedData,
  type NativeOptimStep,
  type Piece,
  TinkerClient,
  TinkerEngine,
  VllmSampler,
  VllmServer,
} from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import { type Episode, GyreError } from '@gyre/protocol';
import type { Learner, PlayOptions, StoredEngine } from '../flywheel/learner.js';
import type { Decision, DecisionOptions, DecisionView, ScreenshotReader } from '../rollouts/dataset.js';
import { languageDecisions } from './languageDecisions.js';
import { type ProbabilityGap, probabilityGap } from './probabilityGap.js';
import { ServedCheckpoints, type ServedEngine } from './servedCheckpoint.js';
import { ServedCritic } from './servedCritic.js';
import { ServedModels } from './servedModels.js';
import { ServedPolicy } from './servedPolicy.js';
import type { ServedSettings } from './servedSettings.js';

interface ServedLearnerParts {
  readonly settings: ServedSettings;
  /** Holds the run. */
  readonly folder: string;
  readonly engine: ServedEngine;
  readonly language: Language;
  readonly lake: Lake;
  readonly seed: number;
}

/** Trains a policy on a server of Tinker's API, and samples it there or from the vLLM behind. */
export class ServedLearner implements Learner {
  readonly #parts: ServedLearnerParts;
  readonly extension = 'json';
  readonly engine: StoredEngine;
  readonly view: DecisionView;
  readonly gap: NonNullable<Learner['gap']>;

  private constructor(parts: ServedLearnerParts) {
    this.#parts = parts;
    const { settings, language, engine, folder } = parts;
    const checkpoints = new ServedCheckpoints({ engine, folder, pulls: settings.pull === 'kept', notify });
    this.engine = stored(new ServedPolicy(engine), checkpoints, engine);
    this.view = { screenshots: language instanceof ChatLanguage ? language.screenshots : 1, reads: false };
    this.gap = { bound: settings.gapBound, probe: (prompts) => this.#probe(prompts) };
  }

  /**
   * Creates the model. Servers that need keys get `TINKER_API_KEY` (engines) and `OPENAI_API_KEY` (vLLM).
   *
   * @throws GyreError `bad_input` for a model that a server does not have; `infra` for a server that does not answer
   */
  static async open(
    settings: ServedSettings,
    { lake, seed, folder }: Pick<ServedLearnerParts, 'lake' | 'seed' | 'folder'>,
  ): Promise<ServedLearner> {
    const { engine: url, sampler, model, rank } = settings;
    const server =
      sampler === undefined ? undefined : new VllmServer({ url: sampler, model, apiKey: process.env.OPENAI_API_KEY });
    const language = server ? await chatLanguage(server, settings) : new NativeLanguage();
    const engine = await openEngine({
      url,
      model,
      rank,
      seed,
      language,
      server,
      models: join(folder, 'policy.models.json'),
    });
    return new ServedLearner({ settings, folder, engine, language, lake, seed });
  }

  policy({ name = this.#parts.settings.model, temperature }: PlayOptions = {}): Policy {
    const { engine, language, settings } = this.#parts;
    return sampledPolicy({ name, engine, language, temperature, maxTokens: settings.maxTokens });
  }

  decisions(episode: Episode, _reader: ScreenshotReader, options?: DecisionOptions): Promise<Decision[]> {
    const { lake, language } = this.#parts;
    return languageDecisions(episode, { ...options, lake, language, screenshots: this.view.screenshots });
  }

  async publish(): Promise<void> {
    await this.#parts.engine.publish();
  }

  /** Opens a critic that starts from its base model: the policy's weights are on another server. */
  async critic(): Promise<StoredEngine> {
    const { settings, language, seed, folder } = this.#parts;
    const { critic } = settings;
    if (!critic) {
      throw new GyreError('bad_input', 'advantages by a critic need an engine that trains one', {
        field: 'served.critic.engine',
        fix: 'give --critic-engine, or choose grpo, which needs none',
      });
    }
    const { engine: url, model = settings.model, rank = settings.rank, low, high } = critic;
    const answers = await criticAnswers(language, critic);
    const engine = await openEngine({ url, model, rank, seed, language, models: join(folder, 'critic.models.json') });
    const checkpoints = new ServedCheckpoints({ engine, folder, pulls: false, notify });
    return stored(new ServedCritic({ engine, ...answers, range: { low, high } }), checkpoints, engine);
  }

  close(): Promise<void> {
    return this.#parts.engine.close();
  }

  /** Samples after prompts with the current weights, and recomputes the log-probabilities. */
  async #probe(prompts: readonly (readonly Piece[])[]): Promise<ProbabilityGap> {
    const { engine, language, settings } = this.#parts;
    const { stop } = language;
    const { maxTokens } = settings;
    const samples = await engine.sample(
      prompts.map((input, seed) => ({ input, stop, maxTokens, temperature: 1, seed })),
    );
    const answers = samples.map(({ tokens, logprobs }, i) => ({ prompt: prompts[i]!, tokens, logprobs }));
    return probabilityGap(
      engine,
      mergedData(answers).map(({ datum }) => datum),
    );
  }
}

function chatLanguage(server: VllmServer, settings: ServedSettings): Promise<ChatLanguage> {
  const { format, mode, thinking, system, screenshots: minScreenshots } = settings;
  return ChatLanguage.open({ server, format, mode, thinking, system, minScreenshots });
}

const notify = (notice: string): void => process.emitWarning(notice, 'GyreServed');

interface OpenOptions {
  readonly url: string;
  readonly model: string;
  readonly rank: number;
  readonly seed: number;
  readonly language: Language;
  /** Samples. Default: the Tinker server. */
  readonly server?: VllmServer | undefined;
  /** File of those that the run has loaded. */
  readonly models: string;
}

async function openEngine({ url, model, rank, seed, language, server, models }: OpenOptions): Promise<TinkerEngine> {
  const client = await TinkerClient.open({
    url,
    apiKey: process.env.TINKER_API_KEY,
    samplesPictures: language instanceof NativeLanguage,
    record: new ServedModels(models),
  });
  const { vocabulary, pictureToken } = language;
  try {
    await expectModel(client, model);
    return await TinkerEngine.open({
      client,
      model: { baseModel: model, rank, seed },
      sampler: server && new VllmSampler({ server }),
      ...{ vocabulary, pictureToken, pictures: true },
    });
  } catch (error) {
    client.close();
    throw error;
  }
}

async function expectModel(client: TinkerClient, model: string): Promise<void> {
  const models = (await client.capabilities()).map(({ model }) => model);
  if (models.length === 0 || models.includes(model)) return;
  throw new GyreError('bad_input', `the server at ${client.url} does not train ${model}`, {
    field: 'served.model',
    fix: `use ${models.join(' or ')}`,
  });
}

/** Encodes the question and its answers. The native language has no words: an end of the episode stands for each. */
async function criticAnswers(language: Language, { question, yes, no }: NonNullable<ServedSettings['critic']>) {
  if (!(language instanceof ChatLanguage)) {
    const size = { width: 160, height: 160 };
    const [finished, called] = await Promise.all([
      language.print({ actions: [{ type: 'finished' }] }, size),
      language.print({ actions: [{ type: 'call_user' }] }, size),
    ]);
    return { question: [], yes: finished, no: called };
  }
  const [positive, negative] = await Promise.all([language.encode(question + yes), language.encode(question + no)]);
  const differs = positive.findIndex((token, index) => token !== negative[index]);
  if (differs >= 0 && differs < negative.length) {
    return { question: positive.slice(0, differs), yes: positive.slice(differs), no: negative.slice(differs) };
  }
  throw new GyreError('bad_input', `the answers ${yes} and ${no} have the same tokens, or one begins the other`, {
    field: 'served.critic',
    fix: 'use other words for yes and no',
  });
}

/** Joins an engine that learns with the weights that its server stores. */
function stored(learner: ServedPolicy | ServedCritic, checkpoints: ServedCheckpoints, engine: Engine): StoredEngine {
  return {
    forward: (data) => learner.forward(data),
    forwardBackward: (request) => learner.forwardBackward(request),
    optimStep: (options): Promise<NativeOptimStep> => learner.optimStep(options),
    save: (path) => checkpoints.save(path),
    load: (path, options) => checkpoints.load(path, options),
    discard: (path) => checkpoints.discard(path),
    close: () => engine.close(),
  };
}
