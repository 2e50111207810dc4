import { openLake, transcribeLake } from '@gyre/studio';
import { command, UsageError } from '../command.js';
import { inputFolder } from '../flags/flag.js';
import { transcribeFlags, transcriberOf } from '../flags/transcribeFlags.js';

export const lakeTranscribe = command({
  description:
    'Transcribes what people said while they played, turn by turn, where that has not been done. The text is the thought of the turn from then on; the recordings stay. Exits with 1 if a turn could not be transcribed: run it again.',
  examples: ['gyre lake transcribe --directory runs/mine --transcribe http://127.0.0.1:8000/v1'],
  flags: {
    directory: inputFolder('directory of the lake', { default: 'runs', mayBeMissing: true }),
    ...transcribeFlags,
  },
  async run({ directory, ...flags }, { terminal, signal }) {
    const transcriber = transcriberOf(flags);
    if (!transcriber) {
      throw new UsageError('no server transcribes', { field: '--transcribe', fix: 'name it, as in the example' });
    }
    const lake = await openLake(directory);
    try {
      const result = await transcribeLake(directory, lake, transcriber, signal);
      for (const { episode, turn, message } of result.failed)
        terminal.print(`episode ${episode}, turn ${turn + 1}: ${message}`);
      terminal.print(`${result.transcribed} turns transcribed, ${result.known} known, ${result.failed.length} failed`);
      return { ok: result.failed.length === 0, result: { ...result } };
    } finally {
      await lake.close();
    }
  },
});
