import {
  anthropicPolicy,
  type ComputerUsePolicy,
  endpointPolicy,
  type EndpointOptions,
  MemoryFile,
  type Oracle,
  nativePolicy,
  openaiComputerPolicy,
  oraclePolicy,
  type Policy,
  promptModes,
  randomPolicy,
} from '@gyre/agent';
import { EngineThread, basePolicyName, loadPolicyCheckpoint, weightsFile } from '@gyre/engine';
import { GyreError, turnFormatNames } from '@gyre/protocol';
import { servedModel } from './servedModel.js';
import { address, count, inputFile, name, oneOf, optionalCount, outputFile, positive, toggle } from './flag.js';

export const policyNames = ['nano', 'random', 'oracle'] as const;

/** The flag that says how weights that do not learn are kept. */
export const quantiseFlag = (what: string) =>
  oneOf(['none', 'w8a8', 'w4a8'], `${what} with weights of 8 or 4 bits, and activations of 8`, { default: 'none' });

/** The flag that names a file of weights. */
export const checkpointFlag = inputFile(
  'weights of the native policy, a .safetensors file; basePolicyName are those that come with gyre',
  {
    default: basePolicyName,
    words: [basePolicyName],
  },
);

/** The flags that say which weights the native policy has. */
export const weightsFlags = {
  checkpoint: checkpointFlag,
  quantise: quantiseFlag('the native policy'),
};

/** The flags that say how a model behind a server is asked. */
export const endpointFlags = {
  model: address(
    'address of an OpenAI-compatible server whose model acts, in the place of --policy: http://127.0.0.1:8000/v1; or, with its vendor’s tool for computers, anthropic:MODEL or openai-computer:MODEL',
    {
      default: undefined,
    },
  ),
  modelName: name("the model's name there (default: the first that it lists)", { default: undefined }),
  format: oneOf(turnFormatNames, 'how that model prints what it does', { default: 't5' }),
  mode: oneOf(promptModes, 'what that model is told that it acts in', { default: 'gui' }),
  thinking: oneOf(
    ['unrestricted', 'efficient', 'none'],
    'how much that model thinks before it acts; the native policy: always, as it was trained, never',
    {
      default: 'efficient',
    },
  ),
  words: optionalCount('the most words of a thought of that model, in the place of --thinking', { example: '50' }),
  screenshots: count('the fewest screenshots that that model sees, once there are as many', { default: 5 }),
  timeout: positive('seconds that one try of a call of that model may take', { default: 120 }),
  retries: count('how often a call of that model is tried again, further and further apart', { default: 4, min: 0 }),
  maxTokens: count('the most tokens of an answer of that model', { default: 1000 }),
  tokenPrompt: toggle(
    'that model is given tokens, not texts, so that what it sampled stays in its prompt as it was sampled: for vLLM',
  ),
  remember: optionalCount(
    'characters of old turns after which that model sums them up, and sees its summary instead (default: it sees them all)',
    { example: '8000' },
  ),
  memory: outputFile(
    'a JSONL file to which that model adds what it remembers of each task, and whose newest five it is shown',
    {
      default: undefined,
    },
  ),
};

/** The flags that choose a policy. */
export const policyFlags = {
  policy: oneOf(policyNames, 'who acts: nano is the native model', { default: 'nano' }),
  ...weightsFlags,
  greedy: toggle('the policy takes the most likely action; by default it samples'),
  ...endpointFlags,
};

/** A policy by its flags, and how many screenshots it looks at. Close it when it is not needed any more. */
export interface OpenPolicy {
  readonly policy: Policy | Oracle;
  readonly screenshots: number;
  /** Whether it looks at none. */
  readonly blind?: boolean;
  /** What is worth telling of it once it has acted. */
  told?(): string[];
  close(): Promise<void>;
}

/**
 * @throws What loading the checkpoint throws.
 * @throws GyreError `bad_input` or `infra` where a model server is named and is none, or cannot be reached.
 */
export async function openPolicy(flags: {
  policy: (typeof policyNames)[number];
  checkpoint: string;
  quantise: 'none' | 'w8a8' | 'w4a8';
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
    throw new GyreError('bad_input', `--${name} is for a model behind a server`, {
      field: `--${name}`,
      fix: 'name the server of one with --model, or leave it out',
    });
  }
  if (flags.policy === 'oracle') return { policy: oraclePolicy, screenshots: 1, blind: true, close };
  if (flags.policy === 'random')
    return { policy: randomPolicy({ functions: ['click', 'type', 'hotkey'] }), screenshots: 1, blind: true, close };
  const engine = await openNative(flags);
  const name = flags.quantise === 'none' ? 'nano' : `nano ${flags.quantise}`;
  const thinks = { unrestricted: true, efficient: undefined, none: false }[flags.thinking];
  const policy = nativePolicy({ name, engine, temperature: flags.greedy ? 0 : 1, thinks });
  // As many as it was trained with.
  return { policy, screenshots: 1, close: () => engine.close() };
}

/** Models that come with a tool for computers, the variable that holds their key, and that of an address other than the vendor's. */
const computerUse = {
  anthropic: { policyOf: anthropicPolicy, key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
  'openai-computer': { policyOf: openaiComputerPolicy, key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
};

function openComputerUse(
  model: string,
  { policyOf, key, address }: (typeof computerUse)[keyof typeof computerUse],
  kept: number,
): OpenPolicy {
  if (model === '') {
    throw new GyreError('bad_input', 'no model is named after the colon', {
      field: '--model',
      fix: 'give it as its vendor names it: anthropic:MODEL or openai-computer:MODEL',
    });
  }
  const apiKey = process.env[key];
  if (!apiKey) {
    throw new GyreError('bad_input', `${model} is asked with a key, and there is none`, {
      field: key,
      fix: `set the environment variable ${key}`,
    });
  }
  const policy: ComputerUsePolicy = policyOf({ model, apiKey, kept, url: process.env[address] });
  const { counts } = policy;
  return {
    policy,
    screenshots: policy.screenshots,
    told: () => [
      `${counts.turns} answers of ${policy.name}, ${counts.malformed} of them with a call that was none; ` +
        `${percent(counts.cachedTokens, counts.inputTokens)} of ${counts.inputTokens} input tokens cached, ${counts.outputTokens} output tokens`,
    ],
    close: () => Promise.resolve(),
  };
}

async function openEndpoint(url: string, flags: Parameters<typeof openPolicy>[0]): Promise<OpenPolicy> {
  if (flags.policy !== 'nano') {
    throw new GyreError('bad_input', `--model and --policy ${flags.policy} each say who acts`, {
      field: '--policy',
      fix: 'leave one of them out',
    });
  }
  const [, vendor, model] = /^(anthropic|openai-computer):(.*)$/.exec(url) ?? [];
  if (model !== undefined)
    return openComputerUse(model, computerUse[vendor as keyof typeof computerUse], flags.screenshots);
  const apiKey = process.env.OPENAI_API_KEY;
  const options: EndpointOptions = {
    url,
    model: flags.modelName ?? (await servedModel(url, apiKey)),
    apiKey,
    temperature: flags.greedy ? 0 : 1,
    format: flags.format,
    mode: flags.mode,
    thinking: flags.words ?? flags.thinking,
    kept: flags.screenshots,
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
    told: () => [
      `${counts.turns} answers of ${policy.name}, ${counts.malformed} of them no turn; ` +
        `${percent(counts.cachedTokens, counts.promptTokens)} of ${counts.promptTokens} prompt tokens cached; ` +
        `tokens drifted in ${counts.drifted} of ${counts.followed} turns that were followed`,
      ...(counts.summaries + counts.unsummed === 0
        ? []
        : [`${counts.summaries} summaries by ${policy.name}; ${counts.unsummed} that it should have made are missing`]),
      ...policy.notes,
    ],
    close: () => Promise.resolve(),
  };
}

const percent = (part: number, whole: number) => `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`;

/**
 * The native policy's engine with the weights of a checkpoint; quantised, it cannot learn. Close it when it is not needed any more.
 *
 * @throws What loading the checkpoint throws.
 */
export async function openNative({
  checkpoint,
  quantise = 'none',
}: {
  checkpoint: string;
  quantise?: 'none' | 'w8a8' | 'w4a8';
}): Promise<EngineThread> {
  const file = weightsFile(checkpoint);
  const { architecture } = await loadPolicyCheckpoint(file);
  const engine = await EngineThread.start({
    architecture,
    seed: 1,
    ...(quantise !== 'none' && { frozen: quantise }),
  });
  try {
    await engine.load(file, { optimiser: false });
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}
