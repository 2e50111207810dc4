import { z } from 'zod';

const type = z.literal('str_replace_editor');
const path = z.string().min(1);

/** First and last, counted from 1; -1 is the end of the file. */
export const LineRange = z
  .tuple([z.int().positive(), z.int()])
  .refine(([from, to]) => to === -1 || to >= from, { error: 'the last line comes before the first' });

/** Paths are in the session's home, or relative to it. */
export const FileEdit = z.discriminatedUnion('command', [
  /** Also lists folders. */
  z.strictObject({ type, command: z.literal('view'), path, lines: LineRange.optional() }),
  /** The file must not exist. */
  z.strictObject({ type, command: z.literal('create'), path, text: z.string() }),
  /** `old` must occur exactly once; without `new` it is deleted. */
  z.strictObject({ type, command: z.literal('str_replace'), path, old: z.string().min(1), new: z.string().optional() }),
  /** Line 0 is the file's beginning. */
  z.strictObject({ type, command: z.literal('insert'), path, afterLine: z.int().nonnegative(), new: z.string() }),
  /** Undoes the last of these edits. */
  z.strictObject({ type, command: z.literal('undo_edit'), path }),
]);
export type FileEdit = z.infer<typeof FileEdit>;

export const fileCommands = [
  'view',
  'create',
  'str_replace',
  'insert',
  'undo_edit',
] as const satisfies FileEdit['command'][];
