import { crc32, deflateSync } from 'node:zlib';
import type { AgentAction, Episode, Size } from '@gyre/protocol';
import type { Lake } from '../store/lake.js';
import { startOf } from '../store/sample.test.fixture.js';

export function greyPng({ width, height }: Size, grey: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8-bit grey; each row starts with filter 0.
  header[8] = 8;
  const rows = Buffer.alloc((width + 1) * height, grey);
  for (let y = 0; y < height; y++) rows[y * (width + 1)] = 0;
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

export const screen: Size = { width: 64, height: 48 };

/** Records grey screenshots: 10 before the first turn, one lighter after each. */
export async function recordPlayed(
  lake: Lake,
  id: string,
  turns: readonly AgentAction[][],
  change: Partial<Episode> = {},
) {
  const see = async (number: number) => ({
    screenshot: await lake.putScreenshot(greyPng(screen, 10 + number)),
    size: screen,
  });
  const task: Episode['task'] = {
    ...{ id: 'form/train/7', family: 'form', split: 'train', seed: 7, instruction: 'Press "Save" ☃.' },
    ...{ surfaces: ['screen'], screen, stepBudget: 10 },
  };
  const episode: Episode = {
    ...{ id, task, policy: 'nano', purpose: 'eval', seed: 11, startedAt: '2026-11-20T10:00:00.123Z' },
    observation: await see(0),
    turns: await Promise.all(
      turns.map(async (actions, index) => ({
        index,
        thought: `step ${index}`,
        actions,
        sample: { tokens: [1, 65535], logprobs: [-0.1, -12.345678901234567], policyVersion: 3 },
        observation: await see(index + 1),
        reward: index / 4,
      })),
    ),
    end: { state: 'finished' },
    verdict: { success: true, score: 0.75, source: 'verifier', evidence: { saved: ['Zoë'] } },
    ...change,
  };
  const writer = await lake.begin(startOf(episode));
  for (const turn of episode.turns) await writer.append(turn);
  return writer.finish(episode.end, episode.verdict);
}
