export type { TaskFamily, TaskInstance } from './family.js';
export { families, familyOf } from './families.js';
export { type TaskRun, startTask } from './run.js';
export { instructionWords } from './instruction.js';
export { words } from './words.js';
export { type Colour, colourNames } from './theme.js';
export { type Element, type Shape, shapeNames } from './element.js';
export { type Box, screenSide } from './box.js';
export { type Glyph, type PerceptionSample, perceive } from './perception.js';
