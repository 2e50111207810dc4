import { architectures } from '@gyre/engine';
import { command, group } from '../command.js';
import { oneOf, positive, someOf, toggle } from '../flag.js';
import { table } from '../table.js';

const seconds = positive('how long to measure', { default: 20 });

const env = command({
  name: 'env',
  summary: 'steps per second of frame-stepped browsers, beside Playwright and bare CDP',
  examples: ['gyre bench env --seconds 30 --json'],
  flags: { seconds },
  async run(flags, { terminal }) {
    const { benchEnv } = await import('../bench/env.js');
    const result = await benchEnv({ seconds: flags.seconds });
    const rate = (value: number) => value.toFixed(0);
    const rows = result.browser.map((row) => [
      row.size,
      row.mode,
      rate(row.gyre),
      rate(row.playwright),
      rate(row.bareCdp),
    ]);
    terminal.print('click, frame and JPEG, steps per second');
    for (const line of table(['screen', 'mode', 'gyre', 'Playwright', 'bare CDP'], rows)) terminal.print(line);
    terminal.print();
    const leases = result.lease.map((row) => [row.kind, `${row.p50.toFixed(1)} ms`, `${row.p99.toFixed(1)} ms`]);
    for (const line of table(['lease', 'p50', 'p99'], leases)) terminal.print(line);
    return { ok: true, result: { ...result } };
  },
});

const platform = command({
  name: 'platform',
  summary: 'leases, desktops, the server and its watchers, and how many sessions fit at once',
  description:
    'Measures isolated machines as gyre serve sandbox gives them: how soon they are there and gone, clicks and frames of a desktop, small requests beside a bare node:http server, what watchers cost a session, and 32 browsers or 8 desktops at once with their memory.',
  examples: ['gyre bench platform --seconds 60 --json'],
  flags: { seconds: positive('how long to measure, without the time in which machines start', { default: 60 }) },
  async run(flags, { terminal }) {
    const { benchPlatform } = await import('../bench/platform/platform.js');
    const result = await benchPlatform(flags);
    const print = (header: string[], rows: string[][]) => {
      for (const line of table(header, rows)) terminal.print(line);
      terminal.print();
    };
    const ms = (value: number) => `${value.toFixed(0)} ms`;
    const rate = (value: number) => value.toFixed(0);
    print(
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
    print(
      ['desktop, click and frame', 'program', 'raw/s', 'RGB/s', 'settled, PNG/s'],
      [[desktop.size, desktop.program, rate(desktop.raw), rate(desktop.rgb), rate(desktop.settledPng)]],
    );
    print(
      ['small requests', 'per second', 'p99', 'failed'],
      result.load.map((row) => [row.server, rate(row.requestsPerSecond), ms(row.p99), String(row.failed)]),
    );
    print(
      ['session', 'steps/s alone', `with ${result.watching[0]?.watchers} watchers`, 'cost', 'frames/s of a watcher'],
      result.watching.map((row) => [
        row.session,
        rate(row.alone),
        rate(row.watched),
        `${(100 * row.cost).toFixed(0)} %`,
        row.framesPerSecond.toFixed(1),
      ]),
    );
    print(
      ['at once', 'sessions', 'until all are there', 'memory', 'steps/s of all'],
      result.crowds.map((row) => [
        row.kind,
        String(row.sessions),
        `${row.seconds.toFixed(1)} s`,
        `${row.mebibytes.toFixed(0)} MiB`,
        rate(row.stepsPerSecond),
      ]),
    );
    return { ok: true, result: { ...result } };
  },
});

const soak = command({
  name: 'soak',
  summary: 'leases, acts, kills, lets run out and gives back at random, and says what was left behind',
  examples: ['gyre bench soak --minutes 20 --seed 3'],
  flags: { minutes: positive('how long', { default: 20 }) },
  async run({ minutes }, { terminal, signal, seed }) {
    const { soak: run } = await import('../bench/platform/soak.js');
    const progress = terminal.progress('soak');
    const result = await run(minutes, seed, {
      signal,
      onProgress: (share, message) => progress.update(share, message),
    });
    terminal.end();
    const { left, resident, faults } = result;
    terminal.print(
      `${result.leases} leases, ${result.actions} actions, ${result.kills} kills (${result.broken} sessions ended by them), ${result.expired} ran out`,
    );
    terminal.print(
      `left behind: ${left.processes} processes, ${left.mounts} mounts, ${left.descriptors} descriptors, ${left.files} files; memory ${resident.before.toFixed(0)} -> ${resident.after.toFixed(0)} MiB`,
    );
    for (const fault of faults) terminal.print(`fault: ${fault}`);
    const clean = left.processes <= 0 && left.mounts <= 0 && left.files <= 0;
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
  },
  async run(flags, { terminal }) {
    const { benchEngine } = await import('../bench/engine.js');
    const { peerTable } = await import('../bench/peers/peerTable.js');
    const result = await benchEngine(flags);
    terminal.print(`measured on ${result.device}`);
    terminal.print();
    const matmul = result.matmulGflops.map((row) => [`${row.n}³`, String(row.threads), row.gflops.toPrecision(3)]);
    for (const line of table(['matmul', 'threads', 'GFLOP/s'], matmul)) terminal.print(line);
    terminal.print();
    const training = result.training.map((row) => [
      millions(row.params),
      String(row.batch),
      String(row.threads),
      `${row.msPerStep.toFixed(1)} ms`,
      `${row.msPerGradient.toFixed(1)} ms`,
      `${(row.shareOfPeak * 100).toFixed(0)} %`,
      `${row.peakMiB.toFixed(0)} MiB`,
    ]);
    for (const line of table(['training', 'batch', 'threads', 'step', 'gradient', 'of peak', 'memory'], training))
      terminal.print(line);
    for (const { compared } of result.training) {
      if (!compared) continue;
      const { deviation, tensor, nodes, onCpu } = compared;
      terminal.print(`gradients as on the CPU to ${deviation.toExponential(1)} of the largest (${tensor})`);
      terminal.print(`${onCpu} of ${nodes} nodes fall back to the CPU`);
    }
    terminal.print();
    if (result.memory.length > 0) {
      const memory = result.memory.map((row) => [
        `${row.layers} layers`,
        row.recompute ? 'computed again' : 'kept',
        `${row.msPerStep.toFixed(0)} ms`,
        `${row.peakMiB.toFixed(0)} MiB`,
      ]);
      for (const line of table(['memory', 'values of a layer', 'step', 'peak'], memory)) terminal.print(line);
      terminal.print();
    }
    const decode = result.decode.map((row) => [
      millions(row.params),
      String(row.batch),
      `${row.msPerToken.toFixed(2)} ms`,
      row.tokensPerSecond.toFixed(0),
    ]);
    for (const line of table(['decoding', 'batch', 'token', 'tokens/s'], decode)) terminal.print(line);
    if (result.peers) {
      terminal.print();
      for (const line of peerTable(result.peers)) terminal.print(line);
      terminal.print();
    }
    for (const what of result.skipped) terminal.print(`left out, --seconds is too short: ${what}`);
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
  },
  async run(flags, { terminal }) {
    const { benchQuantised } = await import('../bench/quantised.js');
    const rows = await benchQuantised({ seconds: flags.seconds, architectures: flags.architecture });
    const times = (value: number, digits: number, ratio: number) => `${value.toFixed(digits)} (${ratio.toFixed(2)}x)`;
    const lines = rows.map((row) => [
      row.architecture,
      row.variant,
      `${(row.weightBytes / 2 ** 20).toFixed(1)} MiB`,
      times(row.encodeMs, 1, row.ratio.encode),
      times(row.tokensPerSecond, 0, row.ratio.token),
      times(row.tokensPerSecond32, 0, row.ratio.token32),
      times(row.msPerTurn / 1_000, 3, row.ratio.turn),
    ]);
    const header = ['policy', 'weights as', 'of', 'ms a screen', 'tokens/s', 'tokens/s, 32 at once', 's a turn'];
    for (const line of table(header, lines)) terminal.print(line);
    return { ok: true, result: { rows } };
  },
});

export const bench = group('bench', 'how fast this machine is', [env, platform, soak, engine, quantised]);
