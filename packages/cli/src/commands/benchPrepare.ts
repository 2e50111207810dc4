import { benchmarkCode, type OfficialCodeName, officialCodeNames } from '@gyre/benchmarks';
import { z } from 'zod';
import { command } from '../command.js';

export const benchPrepare = command({
  description:
    "Installs a benchmark's official code with uv, once, into a Python environment of its own (in GYRE_BENCHMARKS, or the user's cache). `gyre eval --suite NAME` then runs it; Harbor runs gyre instead.",
  examples: ['gyre bench prepare browsergym-miniwob'],
  arguments: [
    {
      name: 'name',
      description: officialCodeNames.join(', '),
      schema: z.enum(officialCodeNames, { error: `must be one of ${officialCodeNames.join(', ')}` }),
      example: officialCodeNames[0],
    },
  ] as const,
  flags: {},
  async run(_flags, { terminal }, name) {
    const code = benchmarkCode(name as OfficialCodeName);
    if (!code.prepared) terminal.log(`installing the official code of ${name}, which takes minutes`);
    await code.prepare();
    terminal.print(`${name} is installed in ${code.folder}`);
    return { ok: true, result: { name, folder: code.folder } };
  },
});
