// Engine internals, exported for benchmarks and experiments only.

export { frozen, frozenBytes, precisions } from './tensor/frozen.js';
export type { Executable, Feed } from './runtime/executable.js';
export { placementOf } from './runtime/placement.js';
export { ResidentParameters } from './runtime/residentParameters.js';
export { letterHeads } from './nano/architecture.js';
export { biasPlanes, relationPlaneCounts } from './eyes/relations.js';
export { DecoderNetwork } from './nano/decoderNetwork.js';
export { encodeGraph, prefillGraph, stepGraph } from './nano/graphs.js';
export { type Blueprint, Model, nativeBlueprint } from './nano/model.js';
export { largestDeviation, requireWithinTolerance } from './nano/parity.js';
export { policyPrecision } from './nano/policyPrecision.js';
export { ScreenNetwork } from './nano/screenNetwork.js';
