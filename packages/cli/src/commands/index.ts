import type { Command } from '../command.js';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly heading?: string;
  /** If false, the sandbox is not loaded. */
  readonly leases?: false;
  /** Work under way ends after the first ctrl-C or SIGTERM. */
  readonly drains?: true;
  readonly load: () => Promise<Command>;
  /** Commands that the next word selects instead. */
  readonly commands?: readonly CommandEntry[];
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly heading: string;
  readonly commands: readonly CommandEntry[];
}

const agents = { heading: 'Run and train:' };
const data = { heading: 'Tasks and data:' };
const servers = { heading: 'Serve:' };
const inspection = { heading: 'Inspect:' };
const development = { heading: 'Set up and develop:' };

const bench = async (name: string) => (await import('./bench.js')).bench(name);

export const commands: readonly (CommandEntry | CommandGroup)[] = [
  {
    ...agents,
    name: 'run',
    summary: 'run one episode of a task, or carry out an instruction',
    load: async () => (await import('./run.js')).run,
  },
  {
    ...agents,
    name: 'rollout',
    summary: 'run many episodes in parallel and store them in the lake',
    load: async () => (await import('./rollout.js')).rollout,
  },
  {
    ...agents,
    name: 'worker',
    summary: 'play the rollout jobs of a queue in NATS, for a trainer elsewhere',
    drains: true,
    load: async () => (await import('./worker.js')).worker,
  },
  {
    ...agents,
    name: 'eval',
    summary: 'measure a policy on held-out tasks, with 95 % intervals',
    load: async () => (await import('./eval.js')).evaluate,
    commands: [
      {
        name: 'reader',
        summary: 'measure how well a reader reads held-out pages, and what it costs',
        load: async () => (await import('./evalReader.js')).evalReader,
      },
    ],
  },
  {
    ...agents,
    name: 'flywheel',
    summary: 'run the whole loop: rollouts, training, evaluation, report',
    load: async () => (await import('./flywheel.js')).flywheel,
  },
  {
    ...agents,
    name: 'train',
    summary: 'run one stage of training',
    commands: [
      {
        name: 'ct',
        summary: 'continual training on rendered pages and demonstrations',
        load: async () => (await import('./trainCt.js')).ct,
      },
      {
        name: 'base',
        summary: 'imitation of oracles by a policy with a reader, from scratch',
        load: async () => (await import('./trainBase.js')).base,
      },
      {
        name: 'reader',
        summary: "gyre's own reader of screens: find and recognise lines of text",
        load: async () => (await import('./trainReader.js')).reader,
      },
      {
        name: 'sft',
        summary: 'supervised fine-tuning on demonstrations of the oracle',
        load: async () => (await import('./trainSft.js')).sft,
      },
      {
        name: 'rft',
        summary: 'rejection fine-tuning: several attempts at each task, SFT on the best success',
        load: async () => (await import('./trainRft.js')).rft,
      },
      {
        name: 'value',
        summary: 'value pretraining: fit the critic to the returns of a fixed policy',
        load: async () => (await import('./train.js')).value,
      },
      {
        name: 'ppo',
        summary: 'reinforcement learning by PPO on training tasks',
        load: async () => (await import('./trainRl.js')).ppo,
      },
      {
        name: 'grpo',
        summary: 'reinforcement learning by GRPO: several attempts at each task',
        load: async () => (await import('./trainRl.js')).grpo,
      },
      {
        name: 'vineppo',
        summary: 'reinforcement learning by VinePPO: values by playing on from forks of an episode',
        load: async () => (await import('./trainRl.js')).vineppo,
      },
      {
        name: 'orm',
        summary: 'train the policy as an outcome reward model, and measure it',
        load: async () => (await import('./trainOrm.js')).orm,
      },
    ],
  },
  {
    ...agents,
    name: 'merge',
    summary: 'average the weights of several checkpoints',
    load: async () => (await import('./merge.js')).merge,
  },
  {
    ...agents,
    name: 'export',
    summary: 'export a policy as ONNX files that run without gyre',
    load: async () => (await import('./export.js')).exportCommand,
  },
  {
    ...data,
    name: 'tasks',
    summary: 'list, show, play and synthesise tasks',
    commands: [
      {
        name: 'list',
        summary: 'list the task families, by suite',
        leases: false,
        load: async () => (await import('./tasks.js')).list,
      },
      {
        name: 'show',
        summary: 'print one task: instruction, first screen, solution',
        load: async () => (await import('./tasksShow.js')).show,
      },
      {
        name: 'play',
        summary: 'play one task yourself, in a browser',
        load: async () => (await import('./tasksPlay.js')).play,
      },
      {
        name: 'sheet',
        summary: 'draw one task of every family into a picture',
        load: async () => (await import('./tasksSheet.js')).sheet,
      },
      {
        name: 'synth',
        summary: 'let a vision-language model write tasks for an app or a page',
        load: async () => (await import('./tasksSynth.js')).synth,
      },
      {
        name: 'attack',
        summary: 'play known cheats against verifiers; fails if one succeeds',
        load: async () => (await import('./tasksAttack.js')).attack,
      },
    ],
  },
  {
    ...data,
    name: 'lake',
    summary: 'query, check, prune, copy, import and export episodes',
    commands: [
      {
        name: 'sql',
        summary: 'query episodes, turns and screenshots with DuckDB',
        load: async () => (await import('./lakeSql.js')).lakeSql,
      },
      {
        name: 'check',
        summary: 'find damaged and missing files, and set them aside',
        load: async () => (await import('./lakeCheck.js')).lakeCheck,
      },
      {
        name: 'prune',
        summary: 'delete old episodes and the screenshots that none refers to',
        load: async () => (await import('./lakePrune.js')).lakePrune,
      },
      {
        name: 'transcribe',
        summary: 'turn what people said while they played into text',
        load: async () => (await import('./lakeTranscribe.js')).lakeTranscribe,
      },
      {
        name: 'push',
        summary: 'copy new episodes to S3 or a folder',
        load: async () => (await import('./lakeRemote.js')).lakePush,
      },
      {
        name: 'pull',
        summary: 'copy new episodes from S3, a folder or another lake',
        load: async () => (await import('./lakeRemote.js')).lakePull,
      },
      {
        name: 'export',
        summary: 'export episodes: ATIF, SFT messages, datasets, verl, UI-TARS-desktop',
        load: async () => (await import('./lakeExport.js')).lakeExport,
      },
      {
        name: 'import',
        summary: 'import trajectories of ATIF, AgentNet (OpenCUA) or UI-TARS-desktop',
        load: async () => (await import('./lakeImport.js')).lakeImport,
      },
    ],
  },
  {
    ...servers,
    name: 'serve',
    summary: 'serve sandboxes, tasks or models over HTTP or MCP',
    commands: [
      {
        name: 'sandbox',
        summary: 'browsers and desktops over HTTP, with shell and files',
        load: async () => (await import('./serve.js')).sandbox,
      },
      {
        name: 'fleet',
        summary: 'the sandboxes of many machines as one, over NATS',
        load: async () => (await import('./serveFleet.js')).fleet,
      },
      {
        name: 'mcp',
        summary: 'a browser or a desktop as MCP tools, over stdio',
        load: async () => (await import('./serveMcp.js')).mcp,
      },
      {
        name: 'model',
        summary: 'the native policy as an OpenAI-compatible server',
        load: async () => (await import('./serveModel.js')).model,
      },
      {
        name: 'tinker',
        summary: "the native policy to clients of Tinker's training API",
        load: async () => (await import('./serveTinker.js')).tinker,
      },
      {
        name: 'gateway',
        summary: 'a recording proxy: stores every call that an external agent makes to its model',
        load: async () => (await import('./serveGateway.js')).gateway,
      },
      {
        name: 'agent',
        summary: 'the agent to a harness that runs its commands, such as Harbor',
        load: async () => (await import('./serveAgent.js')).agent,
      },
      {
        name: 'openenv',
        summary: "tasks for OpenEnv's stock Python client",
        load: async () => (await import('./serveOpenenv.js')).openenv,
      },
    ],
  },
  {
    ...inspection,
    name: 'studio',
    summary: 'show, repeat and fork the episodes of runs on a page',
    load: async () => (await import('./studio.js')).studio,
  },
  {
    ...inspection,
    name: 'replay',
    summary: 'replay episodes and compare every frame',
    load: async () => (await import('./replay.js')).replay,
  },
  {
    ...inspection,
    name: 'fork',
    summary: 'branch an episode after a turn and let another policy continue',
    load: async () => (await import('./fork.js')).fork,
  },
  {
    ...inspection,
    name: 'compare',
    summary: 'compare two evaluations, task by task',
    leases: false,
    load: async () => (await import('./compare.js')).compare,
  },
  {
    ...inspection,
    name: 'perception',
    summary: 'measure how well a policy reads, grounds and describes held-out pages',
    load: async () => (await import('./perception.js')).perception,
  },
  {
    ...inspection,
    name: 'read',
    summary: 'read the text of a screenshot',
    leases: false,
    load: async () => (await import('./read.js')).read,
  },
  {
    ...development,
    name: 'doctor',
    summary: 'check what this machine can run, and how to install the rest',
    load: async () => (await import('./doctor.js')).doctor,
  },
  {
    ...development,
    name: 'bench',
    summary: 'measure speed and reliability on this machine; install official benchmarks',
    commands: [
      {
        name: 'prepare',
        summary: 'install the official code of a benchmark, for `gyre eval`',
        load: async () => (await import('./benchPrepare.js')).benchPrepare,
      },
      {
        name: 'unpack',
        summary: 'unpack a container image as a root of sessions, without docker',
        load: async () => (await import('./benchUnpack.js')).benchUnpack,
      },
      {
        name: 'env',
        summary: 'steps per second, compared with Playwright, bare CDP and bare X',
        load: () => bench('env'),
      },
      {
        name: 'platform',
        summary: 'leases, desktops, the server, live views, and sessions in parallel',
        load: () => bench('platform'),
      },
      {
        name: 'agent',
        summary: 'overhead of the agent loop: time per turn, memory, shared prompts',
        load: () => bench('agent'),
      },
      {
        name: 'soak',
        summary: 'lease, act, kill and release at random; counts what is left behind',
        load: () => bench('soak'),
      },
      {
        name: 'drill',
        summary: 'kill sessions, writers and runs, fill disks; counts wrong scores and lost work',
        load: () => bench('drill'),
      },
      {
        name: 'engine',
        summary: "training and decoding, compared with the machine's matmul rate",
        load: () => bench('engine'),
      },
      {
        name: 'quantised',
        summary: 'the native policy with quantised weights, compared with full precision',
        load: () => bench('quantised'),
      },
      {
        name: 'decision',
        summary: 'one decision of the policy that reads, compared with the policy of pixels',
        load: () => bench('decision'),
      },
      {
        name: 'training',
        summary: 'PPO end to end: turns per second, time by part, use of the cores',
        load: () => bench('training'),
      },
      {
        name: 'lake',
        summary: 'append to, open and sample a lake of a million turns',
        load: () => bench('lake'),
      },
    ],
  },
];
