import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ChatLanguage, oraclePolicy } from '../../packages/agent/dist/index.js';
import { VllmServer } from '../../packages/engine/dist/index.js';
import { workFolder } from './install.mjs';
import { startSampler } from './rig.mjs';
import {
  Settings,
  successfulDemonstrations,
  Workspace,
  languageDecisions,
} from '../../packages/training/dist/index.js';

/**
 * Plays the oracle, and writes its turns as ids and pictures for `train_base.py`, rendered by vLLM, which it starts unless
 * `--sampler URL` names one:
 *
 *     node scripts/remote/demonstrations.mjs --model FOLDER --family click,maze --each 300 --directory FOLDER
 */
const { values } = parseArgs({
  options: {
    sampler: { type: 'string' },
    model: { type: 'string' },
    family: { type: 'string' },
    each: { type: 'string', default: '300' },
    directory: { type: 'string' },
    format: { type: 'string', default: 't5' },
    thinking: { type: 'string', default: 'none' },
    screenshots: { type: 'string', default: '1' },
    system: { type: 'string' },
  },
});
const { model, format, thinking, system } = values;
const families = values.family.split(',');
const settings = Settings.parse({ families, browsers: 1, sessions: 8 });
const rig = values.sampler === undefined ? await startSampler({ work: workFolder(), model }) : undefined;
const server = new VllmServer({ url: values.sampler ?? `${rig.vllmUrl}/v1`, model });
const minScreenshots = Number(values.screenshots);
const language = await ChatLanguage.open({ server, format, thinking, system, minScreenshots });
const workspace = await Workspace.open({ dir: values.directory, ...settings, architecture: undefined });
const pictures = join(values.directory, 'pictures');
mkdirSync(pictures, { recursive: true });
try {
  for (const family of families) {
    const jobs = workspace.jobs(family, 'train', 0, Number(values.each), 'demonstration');
    await workspace.play(oraclePolicy, jobs);
  }
  await workspace.lake.flush();
  const lines = [];
  for (const episode of await successfulDemonstrations(workspace.lake)) {
    const options = { lake: workspace.lake, language, screenshots: language.screenshots };
    for (const { family, datum } of await languageDecisions(episode, options)) {
      const [{ prompt, action }] = datum.sequences;
      lines.push(JSON.stringify({ family, pieces: prompt.map((piece) => stored(piece)), answer: action }));
    }
  }
  writeFileSync(join(values.directory, 'lines.jsonl'), `${lines.join('\n')}\n`);
  console.log(`${lines.length} answers in ${values.directory}`);
} finally {
  await workspace.close();
  await rig?.close();
}

function stored(piece) {
  if ('tokens' in piece) return { tokens: piece.tokens };
  const file = `${piece.picture.hash}.png`;
  if (!existsSync(join(pictures, file))) writeFileSync(join(pictures, file), piece.picture.png);
  return { picture: join('pictures', file), length: piece.length };
}
