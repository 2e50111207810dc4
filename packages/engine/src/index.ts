export * from './graph.js';
export * as ops from './ops.js';
export { gradients } from './gradients.js';
export * from './executable.js';
export * from './executableCache.js';
export * from './parameters.js';
export { type Precision, type PrecisionOf, frozen, frozenBytes, precisions } from './frozen.js';
export * from './placement.js';
export * from './residentParameters.js';
export * from './random.js';
export * from './adamw.js';
export * from './gradient.js';
export * from './movingAverage.js';
export * from './checkpoint.js';
export * from './policy/alphabet.js';
export * from './checkpointMixture.js';
export type { HalfType, StoredType } from './half.js';
export * from './policy/architecture.js';
export * from './policy/basePolicy.js';
export * from './policy/context.js';
export * from './policy/engine.js';
export { type ExportOptions, type ExportedFiles, exportPolicy } from './policy/exportedPolicy.js';
export * from './policy/glyphs.js';
export { encodeGraph, prefillGraph, stepGraph } from './policy/graphs.js';
export { type NativeAction, type TokenClass, tokenClasses } from './policy/grammar.js';
export * from './policy/grid.js';
export { mergePolicies } from './policy/mergedPolicy.js';
export { type Memory, DecoderNetwork } from './policy/decoderNetwork.js';
export * from './policy/model.js';
export * from './policy/native.js';
export { checkParity, largestDeviation, refuseDeviation, type Deviation } from './policy/parity.js';
export {
  architectureOf,
  loadPolicyCheckpoint,
  momentPrefix,
  type PolicyCheckpoint,
} from './policy/policyCheckpoint.js';
export { policyPrecision } from './policy/policyPrecision.js';
export { type Stem, ScreenNetwork } from './policy/screenNetwork.js';
export * from './policy/thread.js';
export * from './policy/vocabulary.js';
export { Weights } from './policy/weights.js';
export * from './policy/words.js';
export * from './vulkan.js';
export { promptPicture } from './served/promptPicture.js';
export {
  type ChatMessage,
  ChatModel,
  type ChatModelOptions,
  type Completion,
  sampledOf,
  type WithTokens,
} from './served/chatModel.js';
export { ModelRefusal } from './served/modelConnection.js';
export { parsedJson, serverWords } from './served/serverWords.js';
export { Spoken, type SpokenCall, textSpoken, thoughtSpoken } from './served/spoken.js';
export { TokenModel } from './served/tokenModel.js';
