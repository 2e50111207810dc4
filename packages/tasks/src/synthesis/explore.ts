import type { Session } from '@gyre/sandbox';
import { z } from 'zod';
import type { Place } from './place.js';
import { prompts } from './prompts.js';
import { type SynthModel, ask, askFor } from './synthModel.js';

/** One screen of a place, and what the model saw there. */
export interface View {
  readonly png: Uint8Array;
  /** SHA-256 of the picture. */
  readonly hash: string;
  readonly text: string;
}

const thousandths = z.number().min(0).max(1000);
const Explored = z.object({
  view: z.string().min(1),
  next: z.object({ x: thousandths, y: thousandths }).nullable().optional(),
});

/**
 * Looks at up to `most` screens of a place; the model says where to click next. An answer that cannot be read ends it, and counts as
 * malformed. A click that shows nothing new is one of the looks. Throws `bad_input` where not even the first answer can be read.
 */
export async function explore(
  place: Place,
  model: SynthModel,
  session: Session,
  most: number,
  signal?: AbortSignal,
): Promise<{ views: View[]; malformed: number }> {
  const views: View[] = [];
  await place.show(session);
  let remark = 'This is where it starts.';
  for (let look = 1; look <= most; look++) {
    const { png, hash } = await session.screen.observe();
    const seen = views.map(({ text }) => `- ${text}`).join('\n');
    const text = `Look ${look} of ${most}. ${remark}${seen && `\nSeen so far:\n${seen}`}`;
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
