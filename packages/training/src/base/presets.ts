import { BaseRecipe } from './recipe.js';

const transfer = ['dropdown', 'accordion', 'vault'];
const small = { width: 160, height: 160 };

/** Named recipes. `widgets` is the quick one: a quarter of an hour on two cores. */
export const basePresets = {
  widgets: BaseRecipe.parse({
    steps: 1500,
    demonstrations: [
      { families: ['basics'], each: 400, share: 10 },
      { families: ['widgets'], each: 400, share: 80 },
    ],
    pages: [{ size: small, looks: 'tasks', questions: 4, share: 10 }],
    without: transfer,
  }),
} as const;
