import { expect, test } from 'vitest';
import { endingOf } from './environment.js';

test.each([
  [{ type: 'finished' }, 'DONE'],
  [{ type: 'finished', answer: 'The file is saved.' }, 'DONE'],
  [{ type: 'finished', answer: 'This task is infeasible: there is no such menu.' }, 'FAIL'],
  [{ type: 'call_user' }, 'FAIL'],
  [{ type: 'wait' }, undefined],
  [undefined, undefined],
] as const)('an episode that ends with %j is %s to OSWorld', (last, ending) => {
  expect(endingOf(last)).toBe(ending);
});
