export { end, main, type ExitStatus } from './main.js';

// Building blocks for commands of other packages.
export { command, type Command, type Invocation, type Outcome } from './command.js';
export { chosenFamilies, pageFamilies } from './families/families.js';
export { familyFlags } from './flags/familyFlags.js';
export { count, oneOf, optionalPositive, outputFile, positive, someOf, toggle } from './flags/flag.js';
export { optionalSize } from './flags/sizeFlag.js';
export { screenReaderFlag } from './policies/policies.js';
export { descendants, descendantsCpu, descendantsMemory } from './process/descendants.js';
export { Tables } from './terminal/tables.js';
