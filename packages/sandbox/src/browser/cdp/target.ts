import { z } from 'zod';
import { Violation } from '../../isolation/peer/violation.js';

export const TargetInfo = z.looseObject({
  targetId: z.string(),
  type: z.string(),
  title: z.string(),
  url: z.string(),
  browserContextId: z.string().optional(),
});
export type TargetInfo = z.infer<typeof TargetInfo>;

/** Returns an event's target; throws `Violation` if malformed. */
export function targetInfoIn(params: Readonly<Record<string, unknown>>): TargetInfo {
  const info = TargetInfo.safeParse(params.targetInfo);
  if (info.success) return info.data;
  throw new Violation('sent a target event without a target');
}

/** The first entry that matches a type decides (CDP `Target.TargetFilter`). */
export type TargetFilter = readonly { readonly type?: string; readonly exclude?: boolean }[];

/** CDP's default filter. */
const defaultFilter: TargetFilter = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}];

export function filterOf(params: Readonly<Record<string, unknown>>): TargetFilter {
  const { filter } = params;
  if (!Array.isArray(filter)) return defaultFilter;
  return (filter as unknown[]).filter((entry) => typeof entry === 'object' && entry !== null);
}

export function wants(filter: TargetFilter, type: string): boolean {
  const decisive = filter.find((entry) => entry.type === undefined || entry.type === type);
  return decisive !== undefined && decisive.exclude !== true;
}
