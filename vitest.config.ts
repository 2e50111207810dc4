import { defineConfig } from 'vitest/config';

/**
 * Each has a process of its own. Commands add to their result what weakened the isolation of sessions in their process; tests of the
 * engine measure the memory of theirs, or choose its graphics driver; suites from outside stay known to the process. All others share the modules of a process.
 */
const isolated = [
  'packages/tasks/dist/family/suiteModule.test.js',
  'packages/cli/dist/**/*.test.js',
  'perf/dist/**/*.test.js',
  ...['tensor/recompute', 'runtime/executable', 'runtime/webgpu', 'nano/engineThread', 'nano/webgpu'].map(
    (name) => `packages/engine/dist/${name}.test.js`,
  ),
];
const include = ['{packages/*,perf}/dist/**/*.test.js'];

// Tests run on the build output: what is tested is what is shipped, and worker threads load as they do for a user.
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Node itself loads what is tested, which is far quicker than to have each module transformed.
    server: { deps: { external: [/\/(packages\/[^/]+|perf)\/dist\/(?!.*\.test\.)/] } },
    // Tests that are `concurrent` wait more than they work.
    maxConcurrency: 10,
    projects: [
      { extends: true, test: { name: 'shared', include, exclude: isolated, isolate: false } },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
  },
});
