import { architectures } from '@gyre/engine';
import { Settings } from '@gyre/training';
import { Tables } from '../bench/tables.js';
import type { Size } from '@gyre/protocol';
import { command, group, type Invocation, type Outcome } from '../command.js';
import { chosenFamilies, onPages, familyFlags } from '../families.js';
import { count, oneOf, optionalPositive, optionalSize, path, positive, someOf, toggle } from '../flag.js';

const seconds = positive('how long to measure', { default: 20 });
const markdown = path('a Markdown file to add the tables to', { default: undefined });

const rate = (value: number) => value.toFixed(0);
const ms = (value: number) => `${value.toFixed(0)} ms`;
const times = (value: number) => `${value.toFixed(2)}x`;

const env = command({
  name: 'env',
  summary: 'steps per second of browsers and desktops, beside Playwright, bare CDP and bare X',
  description:
    'Clicks and looks in turns with what is left when gyre is taken away: frame-stepped browsers beside Playwright and bare CDP, free-running ones in 8 contexts beside bare CDP in as many, a desktop beside bare X.',
  examples: [
    'gyre bench env --seconds 60 --json',
    'gyre bench env --markdown figures.md',
    'gyre bench env --suite games --seconds 60',
  ],
  flags: {
    seconds,
    markdown,
    ...familyFlags('of none'),
    sessions: count('with task families: episodes at once', { default: 8 }),
    browsers: count('with task families: browser processes', { default: 2 }),
    size: optionalSize('with task families: screen in px, of those that have several (default: 320x240)'),
  },
  async run(flags, { terminal, signal, seed }) {
    if (flags.family ?? flags.suite ?? flags.miniwob) return benchFamilies(flags, { terminal, signal, seed });
    const { benchEnv } = await import('../bench/env/env.js');
    const tables = new Tables(terminal);
    const result = await benchEnv({ seconds: flags.seconds });
    tables.say('Steps per second, and the median of the ratios of gyre to the others within a round.');
    tables.add(
      ['click, frame and JPEG', 'mode', 'gyre', 'Playwright', 'bare CDP', 'to Playwright', 'to bare CDP'],
      result.browser.map((row) => [
        row.size,
        row.mode,
        rate(row.gyre),
        rate(row.playwright),
        rate(row.bareCdp),
        times(row.ratioPlaywright),
        times(row.ratioBare),
      ]),
    );
    tables.add(
      ['click and JPEG, free-running', 'contexts', 'gyre', 'bare CDP', 'to bare CDP'],
      result.free.map((row) => [
        row.size,
        String(row.contexts),
        rate(row.gyre),
        rate(row.bareCdp),
        times(row.ratioBare),
      ]),
    );
    if (result.desktop.length > 0) {
      tables.add(
        ['click and raw frame of a desktop', 'program', 'gyre', 'bare X', 'to bare X'],
        result.desktop.map((row) => [row.size, row.program, rate(row.gyre), rate(row.bareX), times(row.ratioBare)]),
      );
    }
    for (const what of result.skipped) tables.say(`left out, ${what}`);
    tables.add(
      ['lease', 'p50', 'p99'],
      result.lease.map((row) => [row.kind, `${row.p50.toFixed(1)} ms`, `${row.p99.toFixed(1)} ms`]),
    );
    await tables.append(flags.markdown, `gyre bench env --seconds ${flags.seconds}`);
    return { ok: true, result: { ...result } };
  },
});

/** Random episodes of task families, in place of the comparisons. */
async function benchFamilies(
  flags: Parameters<typeof chosenFamilies>[0] & {
    seconds: number;
    markdown: string | undefined;
    sessions: number;
    browsers: number;
    size?: Size | undefined;
  },
  { terminal, signal, seed }: Pick<Invocation, 'terminal' | 'signal' | 'seed'>,
): Promise<Outcome> {
  const { measureSuite } = await import('../bench/env/suite.js');
  const { seconds, sessions, size = { width: 320, height: 240 } } = flags;
  const families = onPages(chosenFamilies(flags));
  const tables = new Tables(terminal);
  const progress = terminal.progress('bench');
  const onFamily = (family: string, share: number) => progress.update(share, family);
  const result = await measureSuite({ ...flags, families, size, seed, signal, onFamily });
  terminal.end();
  const rows = result.families.map((row) => [row.family, row.size, rate(row.stepsPerSecond), String(row.episodes)]);
  tables.add(
    [`random episodes, ${sessions} at once`, 'screen', 'steps/s', 'episodes'],
    [...rows, ['all', '', rate(result.stepsPerSecond), '']],
  );
  const names = flags.suite
    ? `--suite ${flags.suite.join(',')}`
    : `--family ${(flags.family ?? ['miniwob.*']).join(',')}`;
  await tables.append(flags.markdown, `gyre bench env ${names} --seconds ${seconds} --sessions ${sessions}`);
  return { ok: result.families.length === families.length, result: { ...result } };
}

const platform = command({
  name: 'platform',
  summary: 'leases, desktops, the server and its watchers, and how many sessions fit at once',
  description:
    'Measures isolated machines as gyre serve sandbox gives them: how soon they are there and gone, clicks and frames of a desktop, small requests beside a bare node:http server, what watchers cost a session, and 32 browsers or 8 desktops at once with their memory.',
  examples: ['gyre bench platform --seconds 60 --json'],
  flags: {
    seconds: positive('how long to measure, without the time in which machines start', { default: 60 }),
    markdown,
  },
  async run(flags, { terminal }) {
    const { benchPlatform } = await import('../bench/platform/platform.js');
    const tables = new Tables(terminal);
    const result = await benchPlatform(flags);
    tables.add(
      ['lease', 'kept warm', 'until it is', 'n', 'p50', 'worst'],
      result.leases.map((row) => [
        row.kind,
        row.warm ? 'yes' : 'no',
        row.until,
        String(row.n),
        ms(row.p50),
        ms(row.worst),
      ]),
    );
    const { desktop } = result;
    tables.add(
      ['desktop, click and frame', 'program', 'raw/s', 'RGB/s', 'settled, PNG/s'],
      [[desktop.size, desktop.program, rate(desktop.raw), rate(desktop.rgb), rate(desktop.settledPng)]],
    );
    tables.add(
      ['small requests', 'per second', 'p99', 'failed'],
      result.load.map((row) => [row.server, rate(row.requestsPerSecond), ms(row.p99), String(row.failed)]),
    );
    tables.add(
      ['session', 'steps/s alone', `with ${result.watching[0]?.watchers} watchers`, 'cost', 'frames/s of a watcher'],
      result.watching.map((row) => [
        row.session,
        rate(row.alone),
        rate(row.watched),
        `${(100 * row.cost).toFixed(0)} %`,
        row.framesPerSecond.toFixed(1),
      ]),
    );
    tables.add(
      ['at once', 'sessions', 'until all are there', 'memory', 'steps/s of all'],
      result.crowds.map((row) => [
        row.kind,
        String(row.sessions),
        `${row.seconds.toFixed(1)} s`,
        `${row.mebibytes.toFixed(0)} MiB`,
        rate(row.stepsPerSecond),
      ]),
    );
    await tables.append(flags.markdown, `gyre bench platform --seconds ${flags.seconds}`);
    return { ok: true, result: { ...result } };
  },
});

const soak = command({
  name: 'soak',
  summary: 'leases, acts, kills, lets run out and gives back at random, and says what was left behind',
  examples: ['gyre bench soak --minutes 20 --seed 3'],
  flags: { minutes: positive('how long', { default: 20 }), markdown },
  async run({ minutes, markdown }, { terminal, signal, seed }) {
    const { soak: run } = await import('../bench/platform/soak.js');
    const tables = new Tables(terminal);
    const progress = terminal.progress('soak');
    const result = await run(minutes, seed, {
      signal,
      onProgress: (share, message) => progress.update(share, message),
    });
    terminal.end();
    const { left, resident, faults } = result;
    tables.add(
      ['leases', 'actions', 'kills', 'ended by them', 'ran out', 'faults'],
      [[result.leases, result.actions, result.kills, result.broken, result.expired, faults.length].map(String)],
    );
    tables.add(
      ['left: processes', 'mounts', 'descriptors', 'files', 'memory before', 'after'],
      [
        [
          ...[left.processes, left.mounts, left.descriptors, left.files].map(String),
          ...[resident.before, resident.after].map((value) => `${value.toFixed(0)} MiB`),
        ],
      ],
    );
    for (const fault of faults) tables.say(`fault: ${fault}`);
    await tables.append(markdown, `gyre bench soak --minutes ${minutes} --seed ${seed}`);
    const clean = Object.values(left).every((count) => count <= 0);
    return { ok: clean && faults.length === 0, result: { ...result } };
  },
});

const engine = command({
  name: 'engine',
  summary: 'training and decoding of the embedded engine, beside the machine’s own matmul rate',
  examples: [
    'gyre bench engine --seconds 60 --json',
    'gyre bench engine --backend webgpu',
    'gyre bench engine --peers',
  ],
  flags: {
    seconds: positive('how long to measure', { default: 60 }),
    backend: oneOf(['cpu', 'webgpu'], 'what computes', { default: 'cpu' }),
    peers: toggle('also train the same model with jax-js, TensorFlow.js and PyTorch, on the CPU, after --seconds'),
    markdown,
  },
  async run(flags, { terminal }) {
    const { benchEngine } = await import('../bench/engine.js');
    const { peerTable } = await import('../bench/peers/peerTable.js');
    const tables = new Tables(terminal);
    const result = await benchEngine(flags);
    tables.say(`measured on ${result.device}`);
    const matmul = result.matmulGflops.map((row) => [`${row.n}³`, String(row.threads), row.gflops.toPrecision(3)]);
    tables.add(['matmul', 'threads', 'GFLOP/s'], matmul);
    const training = result.training.map((row) => [
      millions(row.params),
      String(row.batch),
      String(row.threads),
      `${row.msPerStep.toFixed(1)} ms`,
      `${row.msPerGradient.toFixed(1)} ms`,
      `${(row.shareOfPeak * 100).toFixed(0)} %`,
      `${row.peakMiB.toFixed(0)} MiB`,
    ]);
    tables.add(['training', 'batch', 'threads', 'step', 'gradient', 'of peak', 'memory'], training);
    for (const { compared } of result.training) {
      if (!compared) continue;
      const { deviation, tensor, nodes, onCpu } = compared;
      tables.say(`gradients as on the CPU to ${deviation.toExponential(1)} of the largest (${tensor})`);
      tables.say(`${onCpu} of ${nodes} nodes fall back to the CPU`);
    }
    if (result.memory.length > 0) {
      const memory = result.memory.map((row) => [
        `${row.layers} layers`,
        row.recompute ? 'computed again' : 'kept',
        `${row.msPerStep.toFixed(0)} ms`,
        `${row.peakMiB.toFixed(0)} MiB`,
      ]);
      tables.add(['memory', 'values of a layer', 'step', 'peak'], memory);
    }
    const decode = result.decode.map((row) => [
      millions(row.params),
      row.weights,
      String(row.batch),
      `${row.msPerToken.toFixed(2)} ms`,
      row.tokensPerSecond.toFixed(0),
    ]);
    tables.add(['decoding', 'weights', 'batch', 'token', 'tokens/s'], decode);
    if (result.peers) {
      const { header, cells, remarks } = peerTable(result.peers);
      tables.add(header, cells);
      for (const remark of remarks) tables.say(remark);
    }
    for (const what of result.skipped) tables.say(`left out, --seconds is too short: ${what}`);
    const backend = flags.backend === 'cpu' ? '' : ` --backend ${flags.backend}`;
    const more = `${backend}${flags.peers ? ' --peers' : ''}`;
    await tables.append(flags.markdown, `gyre bench engine --seconds ${flags.seconds}${more}`);
    return { ok: true, result: { ...result } };
  },
});

const millions = (params: number) => `${(params / 1e6).toFixed(2)}M`;

const quantised = command({
  name: 'quantised',
  summary: 'seeing, decoding and whole turns of the native policy with quantised weights, beside full precision',
  examples: ['gyre bench quantised --seconds 60 --architecture nano,micro'],
  flags: {
    seconds,
    architecture: someOf(Object.keys(architectures) as ['nano', 'micro', 'small'], 'which sizes of the policy'),
    markdown,
  },
  async run(flags, { terminal }) {
    const { benchQuantised } = await import('../bench/quantised.js');
    const tables = new Tables(terminal);
    const rows = await benchQuantised({ seconds: flags.seconds, architectures: flags.architecture });
    const withRatio = (value: number, digits: number, ratio: number) => `${value.toFixed(digits)} (${times(ratio)})`;
    const lines = rows.map((row) => [
      row.architecture,
      row.variant,
      `${(row.weightBytes / 2 ** 20).toFixed(1)} MiB`,
      withRatio(row.encodeMs, 1, row.ratio.encode),
      withRatio(row.tokensPerSecond, 0, row.ratio.token),
      withRatio(row.tokensPerSecond32, 0, row.ratio.token32),
      withRatio(row.msPerTurn / 1_000, 3, row.ratio.turn),
    ]);
    const header = ['policy', 'weights as', 'of', 'ms a screen', 'tokens/s', 'tokens/s, 32 at once', 's a turn'];
    tables.add(header, lines);
    await tables.append(flags.markdown, `gyre bench quantised --seconds ${flags.seconds}`);
    return { ok: true, result: { rows } };
  },
});

const agent = command({
  name: 'agent',
  summary: 'what the agent loop costs by itself: time of a turn, memory of many loops, what prompts share',
  description:
    'Plays episodes in which model and environment are doubles: no model, no network, no browser. A turn is what lies between two looks at the screen: the prompt with its screenshots, the answer, the actions, the lake. What the doubles take is left out.',
  examples: ['gyre bench agent --seconds 20 --json', 'gyre bench agent --loops 256'],
  flags: { seconds, loops: count('loops at once in this process', { default: 64 }), markdown },
  async run(flags, { terminal, signal, seed }) {
    const { benchAgent } = await import('../bench/agent/agent.js');
    const tables = new Tables(terminal);
    const result = await benchAgent({ ...flags, seed, signal });
    const { loops } = result;
    tables.say(
      `Model and environment are doubles; at least ${result.screenshots} screenshots of ${result.size} and ${result.pictureKiB.toFixed(0)} KiB in a prompt.`,
    );
    tables.add(
      ['own time of a turn', 'turns', 'p50', 'p99', 'processor, mean', 'asked'],
      result.overhead.map((row) => [
        row.what,
        String(row.turns),
        `${row.p50.toFixed(2)} ms`,
        `${row.p99.toFixed(2)} ms`,
        `${row.cpu.toFixed(2)} ms`,
        '3 ms',
      ]),
    );
    tables.add(
      ['loops in one process', 'turns/s', 'memory before', 'most', 'asked'],
      [[String(loops.loops), rate(loops.turnsPerSecond), mebibytes(loops.before), mebibytes(loops.peak), '1024 MiB']],
    );
    tables.add(
      [
        'share of a prompt in the one before',
        'prompts',
        'only grown',
        'rewritten',
        'share when grown',
        'rewritten',
        'all',
      ],
      result.prefix.map((row) => [
        row.prompt,
        String(row.prompts),
        String(row.prompts - 1 - row.rewritten),
        String(row.rewritten),
        ...[row.between, row.atRewrites, row.all].map((share) => `${(100 * share).toFixed(1)} %`),
      ]),
    );
    await tables.append(flags.markdown, `gyre bench agent --seconds ${flags.seconds} --loops ${flags.loops}`);
    return { ok: !signal.aborted, result: { ...result } };
  },
});

const mebibytes = (value: number) => `${value.toFixed(0)} MiB`;

const lake = command({
  name: 'lake',
  summary: 'a lake of a million turns: appended to, opened, and asked for batches to train on',
  description:
    'Writes a lake to the folder for temporary files (for a million turns some 200 MB), as agents do, 32 episodes at once, with tiny screenshots; reads it in a new process; and removes it. Asked: at least 2,000 turns/s, a batch in 200 ms, an index of less than 1 GiB.',
  examples: ['gyre bench lake', 'gyre bench lake --turns 50000 --json'],
  flags: {
    turns: count('turns of the lake', { default: 1_000_000 }),
    batch: count('episodes of a batch', { default: 32 }),
    markdown,
  },
  async run(flags, { terminal, signal, seed }) {
    const { benchLake } = await import('../bench/lake.js');
    const tables = new Tables(terminal);
    const progress = terminal.progress('bench');
    const onProgress = (share: number, message: string) => progress.update(share, message);
    const result = await benchLake({ ...flags, seed, signal, onProgress });
    terminal.end();
    const { index, batch, sql } = result;
    tables.add(
      ['turns', 'episodes', 'files', 'of', 'appended', 'processor time a turn'],
      [
        [
          ...[result.turns, result.episodes, result.files].map(String),
          `${(result.bytes / 1e6).toFixed(0)} MB`,
          `${rate(result.appendedPerSecond)} turns/s`,
          `${result.processorMsPerTurn.toFixed(2)} ms`,
        ],
      ],
    );
    tables.add(
      ['opened and indexed', 'memory for that', 'peak of the process'],
      [[ms(index.ms), `${index.mebibytes.toFixed(0)} MiB`, `${index.peakMebibytes.toFixed(0)} MiB`]],
    );
    tables.add(
      [
        `batch of ${batch.episodes} episodes, ${batch.turns} turns`,
        'p95',
        'processor time',
        'by SQL',
        'SQL: successes by family',
      ],
      [[ms(batch.median), ms(batch.p95), ms(batch.processorMs), ms(sql.batch), ms(sql.byFamily)]],
    );
    await tables.append(flags.markdown, `gyre bench lake --turns ${flags.turns} --batch ${flags.batch}`);
    return { ok: true, result: { ...result } };
  },
});

const usual = Settings.parse({});

const training = command({
  name: 'training',
  summary: 'practice end to end: learnt turns a second, what the time goes into, and how busy the cores are',
  description:
    'Practises from the policy that comes with gyre, as gyre train ppo does, with rollouts that wait for the updates and with rollouts that go on meanwhile, in turns. Asked: at least 70 % of the cores busy. It writes to the folder for temporary files, and keeps nothing.',
  examples: ['gyre bench training', 'gyre bench training --family vault,tabs --seconds 600 --json'],
  flags: {
    seconds: positive('how long to measure, without the first iterations', { default: 240 }),
    markdown,
    ...familyFlags(),
    sessions: count('episodes at once', { default: usual.sessions }),
    browsers: count('browser processes', { default: usual.browsers }),
    threads: count('threads of the engine', { default: usual.threads }),
    decisions: count('turns of an iteration', { default: usual.ppo.decisions }),
    latency: optionalPositive(
      'seconds that each turn takes longer on average, waiting, as where environments are on other machines (default: none)',
      { example: '2' },
    ),
  },
  async run({ latency = 0, ...flags }, { terminal, signal, seed }) {
    const { benchPractice } = await import('../bench/practice.js');
    const families = onPages(chosenFamilies(flags)).map(({ name }) => name);
    const tables = new Tables(terminal);
    const progress = terminal.progress('bench');
    const onProgress = (share: number, way: string) => progress.update(share, way);
    const result = await benchPractice({ ...flags, latency, families, seed, signal, onProgress });
    terminal.end();
    if (!result) return { ok: false, result: {} };
    const whole = (value: number) => `${(100 * value).toFixed(0)} %`;
    tables.say(`Practice of ${families.join(', ')} with ${flags.sessions} sessions, from the base policy.`);
    if (latency > 0)
      tables.say(`Each turn takes ${latency} s longer on average, waiting, one in twenty three times as long.`);
    tables.add(
      ['practice', 'iterations', 'learnt turns/s', 'environment', 'inference', 'update', 'imitation'],
      result.rows.map(({ way, iterations, turnsPerSecond, shares }) => [
        ...[way, String(iterations), turnsPerSecond.toFixed(1)],
        ...[shares.environment, shares.inference, shares.update, shares.replay].map(whole),
      ]),
    );
    tables.add(
      [`of the time of ${result.cores} cores`, 'engine and loop', 'browsers', 'together', 'asked'],
      result.rows.map(({ way, busy }) => [
        way,
        ...[busy.own, busy.browsers, busy.own + busy.browsers].map(whole),
        '70 %',
      ]),
    );
    tables.say(`Rollouts that go on: ${times(result.ratio)} as many learnt turns a second.`);
    await tables.append(
      flags.markdown,
      `gyre bench training --seconds ${flags.seconds}${latency > 0 ? ` --latency ${latency}` : ''}`,
    );
    return { ok: true, result: { ...result } };
  },
});

export const bench = group('bench', 'how fast this machine is', [
  env,
  platform,
  agent,
  soak,
  engine,
  quantised,
  training,
  lake,
]);
