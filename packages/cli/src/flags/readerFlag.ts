import { z } from 'zod';

export const readerFlag = {
  schema: z.string().min(1, { error: 'must not be empty' }).optional(),
  description:
    'paddle, own, or a folder with the models of PP-OCR or the weights of gyre train reader (default: the first reader that is installed)',
  placeholder: 'NAME|FOLDER',
  example: 'paddle',
};
