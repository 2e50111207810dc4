import { z } from 'zod';

export const readerFlag = {
  schema: z.string().min(1, { error: 'must not be empty' }).optional(),
  description:
    'own (of gyre), paddle (PP-OCR), or a folder with the weights of gyre train reader or the models of PP-OCR (default: own)',
  placeholder: 'NAME|FOLDER',
  example: 'own',
};
