import { Lake, coordinateSpaces, importFiles, importFormats } from '@gyre/lake';
import { join } from 'node:path';
import { z } from 'zod';
import { command } from '../command.js';
import { inputFolder, oneOf, outputFolder } from '../flags/flag.js';
import { checkPath } from '../flags/checkPath.js';

const text = z.string().min(1, { error: 'must not be empty' }).optional();

export const lakeImport = command({
  description:
    'Reads all files before it writes: .json with one document, .jsonl with one per line. Episodes get the purpose "imported" and keep their source and licence. Malformed documents, and those that no episode can represent, are skipped, counted by reason and printed. Ids that the lake already has are skipped.',
  examples: [
    'gyre lake import atif/*.json',
    'gyre lake import logs/*.json --format desktop',
    'gyre lake import agentnet.jsonl --format agentnet --images images --source xlangai/AgentNet --licence MIT',
  ],
  arguments: [
    {
      name: 'files',
      description: 'one or more .json or .jsonl files',
      schema: z.string().min(1, { error: 'must not be empty' }),
      example: 'trajectories.jsonl',
      several: true,
      check: (name: string, text: string) => checkPath(name, text, 'read a file'),
    },
  ] as const,
  flags: {
    directory: outputFolder('directory of the lake', { default: 'runs' }),
    format: oneOf(importFormats, 'format of the files', { default: 'atif' }),
    images: inputFolder('folder of the screenshots, for formats that refer to files (default: that of the file)', {
      default: undefined,
    }),
    source: {
      schema: text,
      description: 'source to store with each episode',
      placeholder: 'WORD',
      example: 'xlangai/AgentNet',
    },
    licence: {
      schema: text,
      description: 'licence of the source, as an SPDX identifier',
      placeholder: 'WORD',
      example: 'MIT',
    },
    coordinates: oneOf(coordinateSpaces, 'coordinates: 0..1 of the screen, or px', { default: 'fraction' }),
  },
  async run({ directory, format, images, source, licence, coordinates }, { terminal }, files) {
    const lake = await Lake.open(join(directory, 'lake'));
    try {
      const report = await importFiles(lake, files, {
        ...{ format, coordinates },
        ...(images !== undefined && { images }),
        ...(source !== undefined && { source }),
        ...(licence !== undefined && { licence }),
      });
      const known = report.known === 0 ? '' : `, ${report.known} that the lake had already`;
      terminal.print(`${report.imported} episodes imported${known}: ${join(directory, 'lake')}`);
      for (const { what, count, first } of report.leftOut) {
        terminal.print(`skipped: ${count} with ${what} (first: ${first})`);
      }
      return { ok: report.imported + report.known > 0, result: { ...report } };
    } finally {
      await lake.close();
    }
  },
});
