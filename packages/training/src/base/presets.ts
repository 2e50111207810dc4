import { BaseRecipe } from './recipe.js';

const small = { width: 160, height: 160 };

/** Named recipes. */
export const basePresets = {
  widgets: BaseRecipe.parse({
    steps: 1900,
    decay: 640,
    practiceEvery: 800,
    demonstrations: [
      { families: ['basics'], each: 300, share: 8, practice: 20 },
      { families: ['widgets'], each: 1000, share: 84, practice: 24 },
    ],
    pages: [{ size: small, looks: 'tasks', questions: 4, share: 8 }],
    without: ['accordion', 'vault'],
  }),
} as const;
