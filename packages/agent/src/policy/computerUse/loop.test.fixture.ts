import { type Action, type AgentAction, carryOut, GyreError, isSdkCall } from '@gyre/protocol';
import sharp from 'sharp';
import { act } from '../../loop/act.js';
import { frameOf } from '../../loop/frame.test.fixture.js';
import type { Decision, PastTurn } from '../policy.js';
import type { ComputerUsePolicy } from './computerUse.js';

/** Larger than models see: scaled to 1568 x 32 px. */
export const size = { width: 3136, height: 64 };

export async function play(
  policy: ComputerUsePolicy,
  turns: number,
  refuses: (action: Action) => boolean = () => false,
) {
  const frameAt = async (index: number) => {
    const create = { ...size, channels: 3 as const, background: { r: index, g: 0, b: 0 } };
    return frameOf(await sharp({ create }).png({ compressionLevel: 1 }).toBuffer(), size);
  };
  const take = async (action: AgentAction) => {
    if (isSdkCall(action) || refuses(action)) throw new GyreError('bad_input', 'this screen does not');
    return undefined;
  };
  const task = { instruction: 'press it', surfaces: ['screen' as const], screen: size, stepBudget: turns };
  const past: PastTurn[] = [];
  const decisions: Decision[] = [];
  const frames = [await frameAt(0)];
  for (let index = 0; index < turns; index++) {
    const screenshots = frames.slice(-policy.screenshots);
    const start = { screenshot: frames[0]!.hash, size };
    const decision = await policy.decide({ task, screenshots, start, turns: past, random: () => 0, episodeId: 'one' });
    decisions.push(decision);
    const step = async (actions: readonly AgentAction[]) => {
      const { ended, ...carried } = await carryOut(actions, take);
      return { ...carried, done: ended, reward: 0, observation: await frameAt(index + 1) };
    };
    const { actions, done, results, observation: frame } = await act({ step }, decision);
    frames.push(frame);
    const observation = { screenshot: frames.at(-1)!.hash, size, ...(results.length > 0 && { results: [...results] }) };
    const { text } = decision;
    past.push({ index, actions: [...actions], ...(text !== undefined && { text }), observation });
    if (done) break;
  }
  return { decisions, past };
}
