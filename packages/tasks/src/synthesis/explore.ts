import type { Session } from '@gyre/sandbox';
import { z } from 'zod';
import type { Place } from './place.js';
import { prompts } from './prompts.js';
import { type SynthModel, ask, askFor } from './synthModel.js';

export interface View {
  readonly png: Uint8Array;
  /** SHA-256 of the screenshot. */
  readonly hash: string;
  readonly text: string;
}

const thousandths = z.number().min(0).max(1000);
const Explored = z.object({
  view: z.string().min(1),
  next: z.object({ x: thousandths, y: thousandths }).nullable().optional(),
});

/**
 * Views up to `maxLooks` screens; the model picks clicks. An unreadable answer ends it; a click without effect counts as a
 * view. Throws `bad_input` if the first answer is unreadable.
 */
export async function explore(
  place: Place,
  model: SynthModel,
  session: Session,
  maxLooks: number,
  signal?: AbortSignal,
): Promise<{ views: View[]; malformed: number }> {
  const views: View[] = [];
  await place.show(session);
  let remark = 'This is where it starts.';
  for (let look = 1; look <= maxLooks; look++) {
    const { png, hash } = await session.screen.observe();
    const seen = views.map(({ text }) => `- ${text}`).join('\n');
    const text = `Look ${look} of ${maxLooks}. ${remark}${seen && `\nSeen so far:\n${seen}`}`;
    const question = { step: 'explore' as const, prompt: prompts.explore, text, pictures: [png], schema: Explored };
    const answered = look === 1 ? { value: await askFor(model, question, signal) } : await ask(model, question, signal);
    if ('malformed' in answered) return { views, malformed: 1 };
    const { view, next } = answered.value;
    if (!views.some((other) => other.hash === hash)) views.push({ png, hash, text: view });
    if (!next) break;
    await session.screen.act({ type: 'click', point: { x: next.x / 1000, y: next.y / 1000 } });
    const same = (await session.screen.observe()).hash === hash;
    remark = same ? 'Your click changed nothing.' : 'This is what your click led to.';
  }
  return { views, malformed: 0 };
}
