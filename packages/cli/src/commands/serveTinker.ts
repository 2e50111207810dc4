import { pixels } from '@gyre/agent';
import {
  hasReader,
  loadPolicyCheckpoint,
  NativeTokenEngine,
  pixelPolicyName,
  serveTinker,
  weightsFile,
} from '@gyre/engine';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { accessFlags, accessOf } from '../flags/accessFlags.js';
import { command, UsageError } from '../command.js';
import { name, outputFolder } from '../flags/flag.js';
import { openNative, pixelCheckpointFlag } from '../policies/policies.js';

/** Web pages have no use for it. */
const { allowOrigin: _, ...tinkerAccessFlags } = accessFlags;

export const tinker = command({
  description:
    "Serves a native policy without a reader to any client of Tinker's training API, such as its Python SDK: log-probabilities, gradients, optimiser steps, checkpoints and samples of tokens and pictures. It holds one model at a time, which starts from the weights of --checkpoint. A token is the client's API key; the SDK accepts only tml-...",
  examples: ['gyre serve tinker --port 8000', 'gyre serve tinker --checkpoint policy.safetensors --output weights'],
  flags: {
    checkpoint: pixelCheckpointFlag,
    ...tinkerAccessFlags,
    output: outputFolder('folder of the weights that clients save', { default: 'tinker' }),
    name: name('base model that clients name', { default: 'nano' }),
  },
  async run({ name, output, checkpoint, ...flags }, { terminal, signal }) {
    const { tokens, ...access } = accessOf({ ...flags, allowOrigin: undefined }, 'operate', { terminal });
    const { architecture } = await loadPolicyCheckpoint(weightsFile(checkpoint));
    if (hasReader(architecture)) {
      throw new UsageError(`${checkpoint} has a reader, and is not trained by tokens and pictures`, {
        field: '--checkpoint',
        fix: `omit it, or use --checkpoint ${pixelPolicyName} or other weights without one`,
      });
    }
    const { engine, close } = await openNative({ checkpoint });
    try {
      await mkdir(output, { recursive: true });
      const server = await serveTinker({
        ...access,
        engine: new NativeTokenEngine({ engine, pixels }),
        name,
        tokens: tokens.map(({ token }) => token),
        folder: output,
        onFault: (fault) => terminal.log(String(fault)),
      });
      terminal.log(`listening at ${server.url} (ctrl-C stops it)`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url } };
    } finally {
      await close();
    }
  },
});
