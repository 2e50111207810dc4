import { GyreError } from '@gyre/protocol';

/** Returns the error of an environment that is used before its first reset. */
export const notReset = () =>
  new GyreError('bad_input', 'the environment has not been reset', { field: 'environment', fix: 'reset it first' });
