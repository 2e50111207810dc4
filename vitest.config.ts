import { defineConfig } from 'vitest/config';

/** Their tests leave nothing behind in the process: one file after the other has the modules that are loaded already. Not so engine, where memory is measured, nor cli. */
const shared = ['agent', 'lake', 'protocol', 'sandbox', 'tasks', 'training'].map(
  (name) => `packages/${name}/dist/**/*.test.js`,
);

// Tests run on the build output: what is tested is what is shipped, and worker threads load as they do for a user.
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Tests that are `concurrent` wait more than they work.
    maxConcurrency: 10,
    projects: [
      { extends: true, test: { name: 'shared', include: shared, isolate: false } },
      { extends: true, test: { name: 'isolated', include: ['packages/*/dist/**/*.test.js'], exclude: shared } },
    ],
  },
});
