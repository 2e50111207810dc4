import {
  anthropicPolicy,
  type ComputerUsePolicy,
  endpointPolicy,
  enginePolicy,
  type EndpointOptions,
  MemoryFile,
  type Oracle,
  openaiComputerPolicy,
  oraclePolicy,
  type Policy,
  promptModes,
  randomPolicy,
} from '@gyre/agent';
import {
  EngineThread,
  basePolicyName,
  builtInPolicyNames,
  hasReader,
  loadPolicyCheckpoint,
  type NativeArchitecture,
  pixelPolicyName,
  weightsFile,
} from '@gyre/engine';
import { GyreError, turnFormatNames } from '@gyre/protocol';
import { ReaderThread } from '@gyre/reader';
import { firstServedModel } from './firstServedModel.js';
import {
  address,
  count,
  headed,
  inputFile,
  name,
  oneOf,
  optionalCount,
  outputFile,
  positive,
  toggle,
} from '../flags/flag.js';

export const policyNames = ['nano', 'random', 'oracle'] as const;

export const quantiseFlag = (what: string) =>
  oneOf(['none', 'w8a8', 'w4a8'], `quantise ${what}: weights of 8 or 4 bits, activations of 8`, { default: 'none' });

const checkpointFlag = inputFile(
  'weights of the native policy: a .safetensors file, base (reads the screen), or pixels (has no reader)',
  { default: basePolicyName, words: builtInPolicyNames },
);

/** For what takes no policy with a reader. */
export const pixelCheckpointFlag = inputFile(
  'weights of a native policy without a reader: a .safetensors file, or pixels',
  { default: pixelPolicyName, words: builtInPolicyNames },
);

export const screenReaderFlag = name(
  'reader of the screen, for weights that need one: own (of gyre), paddle (PP-OCR), or a folder with the weights of gyre train reader or the models of PP-OCR (default: own)',
  { default: undefined },
);

export const weightsFlags = {
  checkpoint: checkpointFlag,
  quantise: quantiseFlag('the native policy'),
};

const endpointFlags = headed('Model server:', {
  model: address(
    'use a model instead of --policy: an OpenAI-compatible base URL, or anthropic:MODEL / openai-computer:MODEL for their native computer-use tools',
    {
      default: undefined,
    },
  ),
  modelName: name('model name (default: the first that the server lists)', { default: undefined }),
  format: oneOf(turnFormatNames, 'turn format of the model', { default: 't5' }),
  mode: oneOf(promptModes, 'environment named in the prompt', { default: 'gui' }),
  thinking: oneOf(['unrestricted', 'efficient', 'none'], 'how much to think before acting', {
    default: 'efficient',
  }),
  words: optionalCount('maximum words per thought, instead of --thinking', { example: '50' }),
  screenshots: count('minimum number of recent screenshots in the prompt', { default: 5 }),
  timeout: positive('seconds per call', { default: 120 }),
  retries: count('retries per call, with backoff', { default: 4, min: 0 }),
  maxTokens: count('maximum tokens per answer', { default: 1000 }),
  tokenPrompt: toggle('send token ids instead of text, so that sampled tokens stay as they were (vLLM)'),
  remember: optionalCount('summarise old turns beyond this many characters (default: keep them all)', {
    example: '8000',
  }),
  memory: outputFile('JSONL file of notes: the model adds one per task and sees the newest five', {
    default: undefined,
  }),
});

export const policyFlags = {
  policy: oneOf(policyNames, 'policy; nano is the native one', { default: 'nano' }),
  ...weightsFlags,
  screenReader: screenReaderFlag,
  greedy: toggle('take the most likely action instead of sampling'),
  ...endpointFlags,
};

export interface OpenPolicy {
  readonly policy: Policy | Oracle;
  readonly screenshots: number;
  readonly blind?: boolean;
  /** Tokens so far, as the model's server counts them. */
  tokens?(): { readonly prompt: number; readonly cached: number; readonly answer: number };
  /** Returns statistics to print after the episodes. */
  statistics?(): string[];
  close(): Promise<void>;
}

/**
 * Opens the policy that the flags choose.
 *
 * @throws GyreError `bad_input` or `infra` for an invalid or unreachable model server.
 */
export async function openPolicy(flags: {
  policy: (typeof policyNames)[number];
  checkpoint: string;
  quantise: 'none' | 'w8a8' | 'w4a8';
  screenReader?: string | undefined;
  greedy: boolean;
  model?: string | undefined;
  modelName?: string | undefined;
  format: (typeof turnFormatNames)[number];
  mode: (typeof promptModes)[number];
  thinking: 'unrestricted' | 'efficient' | 'none';
  words?: number | undefined;
  screenshots: number;
  timeout: number;
  retries: number;
  maxTokens?: number | undefined;
  tokenPrompt?: boolean | undefined;
  remember?: number | undefined;
  memory?: string | undefined;
}): Promise<OpenPolicy> {
  const close = () => Promise.resolve();
  if (flags.model !== undefined) return openEndpoint(flags.model, flags);
  for (const name of ['remember', 'memory', 'words'] as const) {
    if (flags[name] === undefined) continue;
    throw new GyreError('bad_input', `--${name} needs a model behind a server`, {
      field: `--${name}`,
      fix: 'add --model URL, or omit it',
    });
  }
  if (flags.policy === 'oracle') return { policy: oraclePolicy, screenshots: 1, blind: true, close };
  if (flags.policy === 'random')
    return { policy: randomPolicy({ functions: ['click', 'type', 'hotkey'] }), screenshots: 1, blind: true, close };
  const native = await openNative(flags);
  const name = flags.quantise === 'none' ? 'nano' : `nano ${flags.quantise}`;
  const thinks = { unrestricted: true, efficient: undefined, none: false }[flags.thinking];
  const policy = enginePolicy({ ...native, name, temperature: flags.greedy ? 0 : 1, thinks });
  // The policy was trained with one screenshot.
  return { policy, screenshots: 1, close: native.close };
}

const computerUse = {
  anthropic: { policyOf: anthropicPolicy, key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
  'openai-computer': { policyOf: openaiComputerPolicy, key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
};

function openComputerUse(
  model: string,
  { policyOf, key, address }: (typeof computerUse)[keyof typeof computerUse],
  minScreenshots: number,
): OpenPolicy {
  if (model === '') {
    throw new GyreError('bad_input', '--model has no name after the colon', {
      field: '--model',
      fix: 'write anthropic:MODEL or openai-computer:MODEL',
    });
  }
  const apiKey = process.env[key];
  if (!apiKey) {
    throw new GyreError('bad_input', `${model} needs an API key`, {
      field: key,
      fix: `set the environment variable ${key}`,
    });
  }
  const policy: ComputerUsePolicy = policyOf({ model, apiKey, minScreenshots, url: process.env[address] });
  const { counts } = policy;
  return {
    policy,
    screenshots: policy.screenshots,
    statistics: () => [
      `${counts.turns} answers of ${policy.name}, ${counts.malformed} of them with malformed calls; ` +
        `${percent(counts.cachedTokens, counts.inputTokens)} of ${counts.inputTokens} input tokens cached, ${counts.outputTokens} output tokens`,
    ],
    close: () => Promise.resolve(),
  };
}

async function openEndpoint(url: string, flags: Parameters<typeof openPolicy>[0]): Promise<OpenPolicy> {
  if (flags.policy !== 'nano') {
    throw new GyreError('bad_input', `--model and --policy ${flags.policy} cannot be combined`, {
      field: '--policy',
      fix: 'omit one of them',
    });
  }
  const [, vendor, model] = /^(anthropic|openai-computer):(.*)$/.exec(url) ?? [];
  if (model !== undefined)
    return openComputerUse(model, computerUse[vendor as keyof typeof computerUse], flags.screenshots);
  const apiKey = process.env.OPENAI_API_KEY;
  const options: EndpointOptions = {
    url,
    model: flags.modelName ?? (await firstServedModel(url, apiKey)),
    apiKey,
    temperature: flags.greedy ? 0 : 1,
    format: flags.format,
    mode: flags.mode,
    thinking: flags.words ?? flags.thinking,
    minScreenshots: flags.screenshots,
    timeoutMs: flags.timeout * 1000,
    retries: flags.retries,
    maxTokens: flags.maxTokens,
    tokenPrompt: flags.tokenPrompt,
    remember: flags.remember,
    memory: flags.memory === undefined ? undefined : await MemoryFile.open(flags.memory),
  };
  const policy = endpointPolicy(options);
  const { counts } = policy;
  return {
    policy,
    screenshots: policy.screenshots,
    tokens: () => ({ prompt: counts.promptTokens, cached: counts.cachedTokens, answer: counts.answerTokens }),
    statistics: () => [
      `${counts.turns} answers of ${policy.name}, ${counts.malformed} of them malformed; ` +
        `${percent(counts.cachedTokens, counts.promptTokens)} of ${counts.promptTokens} prompt tokens cached; ` +
        `tokens drifted in ${counts.drifted} of ${counts.followed} follow-up turns`,
      ...(counts.summaries + counts.unsummed === 0
        ? []
        : [`${counts.summaries} summaries by ${policy.name}; ${counts.unsummed} missing`]),
      ...policy.notes,
    ],
    close: () => Promise.resolve(),
  };
}

const percent = (part: number, whole: number) => `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`;

export interface OpenNative {
  readonly engine: EngineThread;
  readonly architecture: NativeArchitecture;
  /** Undefined for an architecture without one. */
  readonly reader: ReaderThread | undefined;
  readonly close: () => Promise<void>;
}

/** Opens weights, and their reader. A quantised engine cannot train. */
export async function openNative({
  checkpoint,
  quantise = 'none',
  screenReader,
}: {
  checkpoint: string;
  quantise?: 'none' | 'w8a8' | 'w4a8';
  screenReader?: string | undefined;
}): Promise<OpenNative> {
  const file = weightsFile(checkpoint);
  const { architecture } = await loadPolicyCheckpoint(file);
  const reads = hasReader(architecture);
  if (reads && quantise !== 'none') {
    throw new GyreError('bad_input', `${checkpoint} has a reader, and cannot be quantised`, {
      field: '--quantise',
      fix: `omit it, or add --checkpoint ${pixelPolicyName}`,
    });
  }
  const reader = reads ? await ReaderThread.open({ reader: screenReader }) : undefined;
  let engine: EngineThread | undefined;
  const close = async () => {
    await Promise.allSettled([engine?.close(), reader?.close()]);
  };
  try {
    const frozen = quantise === 'none' ? {} : { frozen: quantise };
    engine = await EngineThread.start({ architecture, seed: 1, ...frozen });
    await engine.load(file, { optimiser: false });
    return { engine, architecture, reader, close };
  } catch (error) {
    await close();
    throw error;
  }
}
