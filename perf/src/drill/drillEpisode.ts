import { createHash } from 'node:crypto';
import type { Episode } from '@gyre/protocol';

const size = { width: 320, height: 240 };
const turns = 5;

/** Returns fake bytes, which a lake does not decode. */
export function drillScreenshot(id: string): Uint8Array {
  return Buffer.from(id.repeat(200));
}

/** Returns a deterministic episode, so that readers can verify it. */
export function drillEpisode(id: string): Episode {
  const screenshot = createHash('sha256').update(drillScreenshot(id)).digest('hex');
  const observation = { screenshot, size };
  return {
    id,
    task: {
      ...{ id: 'form/train/1', family: 'form', split: 'train', seed: 1, instruction: 'Type "Zoë" and press Save.' },
      ...{ surfaces: ['screen'], screen: size, stepBudget: 10 },
    },
    ...{ policy: 'drill', purpose: 'drill', seed: 1, startedAt: '2026-01-01T00:00:00.000Z', observation },
    turns: Array.from({ length: turns }, (_, index) => ({
      ...{ index, thought: `${id}, turn ${index}`, observation, reward: index / 10 },
      actions: [{ type: 'click', point: { x: 0.1 * index, y: 1 / 3 } }],
    })),
    end: { state: 'finished' },
    verdict: { success: true, score: 1, source: 'verifier', evidence: {} },
  };
}
