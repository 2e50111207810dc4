import { z } from 'zod';
import { Violation } from '../../isolation/peer/violation.js';

/** A target as the browser describes it. */
export const TargetInfo = z.looseObject({
  targetId: z.string(),
  type: z.string(),
  title: z.string(),
  url: z.string(),
  browserContextId: z.string().optional(),
});
export type TargetInfo = z.infer<typeof TargetInfo>;

/** Returns the target of an event. Throws `Violation` where there is none. */
export function targetInfoIn(params: Readonly<Record<string, unknown>>): TargetInfo {
  const info = TargetInfo.safeParse(params.targetInfo);
  if (info.success) return info.data;
  throw new Violation('sent an event of a target that tells of none');
}

/** Which types of targets a client wants: the first entry that fits a type decides (CDP, `Target.TargetFilter`). */
export type TargetFilter = readonly { readonly type?: string; readonly exclude?: boolean }[];

/** The filter of a client that gives none. */
const usual: TargetFilter = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}];

/** Returns the filter of a command's parameters. */
export function filterOf(params: Readonly<Record<string, unknown>>): TargetFilter {
  const { filter } = params;
  if (!Array.isArray(filter)) return usual;
  return (filter as unknown[]).filter((entry) => typeof entry === 'object' && entry !== null);
}

/** Tells whether a filter accepts a type. */
export function wants(filter: TargetFilter, type: string): boolean {
  const decisive = filter.find((entry) => entry.type === undefined || entry.type === type);
  return decisive !== undefined && decisive.exclude !== true;
}
