/* eslint-disable gyre/floors -- No package exports its doubles. */
export {
  type DoubleOptions,
  vllmDouble,
} from '../../../../agent/dist/policy/endpoint/double/vllmDouble.test.fixture.js';
export { ColourEngine } from '../../../../training/dist/served/colourEngine.test.fixture.js';
