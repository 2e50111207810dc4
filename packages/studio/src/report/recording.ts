import type { Lake } from '@gyre/lake';
import { describeAction, type Episode, onScreen } from '@gyre/protocol';
import type { Filmstrip } from './report.js';

/** @throws GyreError `corrupt` if a screenshot is missing. */
export async function filmstripOf(
  lake: Pick<Lake, 'screenshot'>,
  episode: Episode,
  policy: Filmstrip['policy'],
): Promise<Filmstrip> {
  const { task, turns, end, verdict } = episode;
  const screens = [episode.observation, ...turns.map((turn) => turn.observation)];
  const frames: Filmstrip['frames'] = [];
  for (const [i, { screenshot, size }] of screens.entries()) {
    const actions = turns[i]?.actions ?? [];
    const last = i === turns.length;
    const caption = last ? ending(end.state) : actions.map(describeAction).join(', ') || 'nothing';
    const [action] = onScreen(actions);
    frames.push({ png: await lake.screenshot(screenshot), ...size, ...(action && { action }), caption });
  }
  return {
    family: task.family,
    task: task.id,
    policy,
    instruction: task.instruction,
    success: verdict?.success ?? false,
    note: `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}, task ${task.id}`,
    frames,
  };
}

const ending = (state: Episode['end']['state']) =>
  ({
    finished: 'finished',
    out_of_budget: 'out of turns',
    stuck: 'stuck',
    agent_fault: 'broke the page',
    infra_error: 'infrastructure error',
    cut: 'interrupted',
  })[state];
