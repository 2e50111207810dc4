import { z } from 'zod';
import { headed, inputFile, inputFolder, optionalWords } from './flag.js';

const heading = 'Tasks:';

const familyFlag = (fallback: string) => ({
  ...optionalWords(`task families by name or prefix, such as mail.* (default: ${fallback})`, { example: 'click,menu' }),
  heading,
});

const { miniwob: miniwobFlag, tasks: poolFlag } = headed(heading, {
  miniwob: inputFolder('html folder of MiniWoB++; adds its tasks as the suite miniwob', { default: undefined }),
  tasks: inputFile('JSONL file of `gyre tasks synth`; adds its tasks as the suite synth', { default: undefined }),
});

/** For commands that take a task or episode id. */
export const addedSuiteFlags = {
  suite: { ...optionalWords('modules that export a suite of tasks', { example: './my-suite.js' }), heading },
  miniwob: miniwobFlag,
  tasks: poolFlag,
};

export const familyFlags = (fallback = 'the suite basics') => ({
  family: familyFlag(fallback),
  suite: {
    ...optionalWords('suites of task families, or all, or modules that export one', { example: 'basics,widgets' }),
    heading,
  },
  miniwob: miniwobFlag,
  tasks: poolFlag,
});

export const taskArgument = {
  name: 'task',
  description: 'FAMILY/SPLIT/SEED',
  schema: z.string(),
  example: 'click/test/7',
};
