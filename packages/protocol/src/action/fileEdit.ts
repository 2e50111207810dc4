import { z } from 'zod';

const type = z.literal('str_replace_editor');
const path = z.string().min(1);

/** Lines of a file, counted from 1: the first and the last, which is -1 for the end of the file. */
export const LineRange = z
  .tuple([z.int().positive(), z.int()])
  .refine(([from, to]) => to === -1 || to >= from, { error: 'the last line comes before the first' });

/** Looks at a file or changes it. Paths are those of the session: in its home, or relative to it. */
export const FileEdit = z.discriminatedUnion('command', [
  /** Shows a file with the numbers of its lines, or what is in a folder. */
  z.strictObject({ type, command: z.literal('view'), path, lines: LineRange.optional() }),
  /** Writes a file that is not there yet. */
  z.strictObject({ type, command: z.literal('create'), path, text: z.string() }),
  /** Replaces what stands in a file exactly once; without `new` it is taken away. */
  z.strictObject({ type, command: z.literal('str_replace'), path, old: z.string().min(1), new: z.string().optional() }),
  /** Puts lines behind a line; 0 is the beginning. */
  z.strictObject({ type, command: z.literal('insert'), path, afterLine: z.int().nonnegative(), new: z.string() }),
  /** Takes back the last change of a file that was made by one of these. */
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
