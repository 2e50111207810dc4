import { command, oneOf, positive, Tables, toggle } from 'gyre';
import { markdown, mebibytes } from './figures.js';

export const engine = command({
  examples: [
    'gyre bench engine --seconds 60 --json',
    'gyre bench engine --backend webgpu',
    'gyre bench engine --peers',
  ],
  flags: {
    seconds: positive('seconds to measure', { default: 60 }),
    backend: oneOf(['cpu', 'webgpu'], 'backend', { default: 'cpu' }),
    peers: toggle('also train the same model with jax-js, TensorFlow.js and PyTorch, on the CPU'),
    markdown,
  },
  async run(flags, { terminal }) {
    const { benchEngine } = await import('../engine/engine.js');
    const { peerTable } = await import('../peers/peerTable.js');
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
      mebibytes(row.peakMiB),
    ]);
    tables.add(['training', 'batch', 'threads', 'step', 'gradient', 'of peak', 'memory'], training);
    for (const { compared } of result.training) {
      if (!compared) continue;
      const { deviation, tensor, nodes, onCpu } = compared;
      tables.say(`gradients differ from those of the CPU by ${deviation.toExponential(1)} of the largest (${tensor})`);
      tables.say(`${onCpu} of ${nodes} nodes fall back to the CPU`);
    }
    if (result.memory.length > 0) {
      const memory = result.memory.map((row) => [
        `${row.layers} layers`,
        row.recompute ? 'recomputed' : 'stored',
        `${row.msPerStep.toFixed(0)} ms`,
        mebibytes(row.peakMiB),
      ]);
      tables.add(['memory', 'activations', 'step', 'peak'], memory);
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
    for (const what of result.skipped) tables.say(`skipped, --seconds is too short: ${what}`);
    const backend = flags.backend === 'cpu' ? '' : ` --backend ${flags.backend}`;
    const more = `${backend}${flags.peers ? ' --peers' : ''}`;
    await tables.append(flags.markdown, `gyre bench engine --seconds ${flags.seconds}${more}`);
    return { ok: true, result: { ...result } };
  },
});

const millions = (params: number) => `${(params / 1e6).toFixed(2)}M`;
