import { defineConfig } from 'vitest/config';

// Tests run on the build output: what is tested is what is shipped, and worker threads load as they do for a user.
export default defineConfig({
  test: {
    include: ['packages/*/dist/**/*.test.js'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
