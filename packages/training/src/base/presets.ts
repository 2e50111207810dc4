import { BaseRecipe } from './recipe.js';

const small = { width: 160, height: 160 };

/** Named recipes. */
export const basePresets = {
  widgets: BaseRecipe.parse({
    steps: 1100,
    decay: 700,
    demonstrations: [
      { families: ['basics'], each: 300, share: 10 },
      { families: ['widgets'], each: 300, share: 84 },
    ],
    pages: [{ size: small, looks: 'tasks', questions: 4, share: 6 }],
    without: ['accordion', 'vault'],
  }),
} as const;
