import type { Point } from './point.js';
import type { AgentAction } from './sdkCall.js';

/** Returns the points of an action in order: the start of a drag, then its end. */
export function pointsOf(action: AgentAction): Point[] {
  if ('start' in action) return [action.start, action.end];
  return 'point' in action && action.point ? [action.point] : [];
}
