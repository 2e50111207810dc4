export * from './tensor/graph.js';
export * as ops from './tensor/ops.js';
export { gradients } from './tensor/gradients.js';
export * from './runtime/executable.js';
export * from './runtime/executableCache.js';
export * from './runtime/parameters.js';
export { type Precision, type PrecisionOf, frozen, frozenBytes, precisions } from './tensor/frozen.js';
export * from './runtime/placement.js';
export * from './runtime/residentParameters.js';
export * from './random.js';
export * from './optim/adamw.js';
export * from './optim/gradient.js';
export * from './checkpoint/checkpoint.js';
export * from './nano/alphabet.js';
export * from './checkpoint/checkpointMixture.js';
export type { HalfType, StoredType } from './checkpoint/half.js';
export * from './nano/architecture.js';
export * from './nano/basePolicy.js';
export * from './nano/context.js';
export * from './nano/nativeEngine.js';
export { type ExportOptions, type ExportedFiles, exportPolicy } from './nano/exportedPolicy.js';
export * from './nano/glyphs.js';
export { encodeGraph, prefillGraph, stepGraph } from './nano/graphs.js';
export { type NativeAction, type TokenClass, tokenClasses } from './nano/grammar.js';
export * from './nano/grid.js';
export { mergePolicies } from './nano/mergedPolicy.js';
export { type Memory, DecoderNetwork } from './nano/decoderNetwork.js';
export * from './nano/model.js';
export * from './nano/embeddedEngine.js';
export { checkParity, largestDeviation, refuseDeviation, type Deviation } from './nano/parity.js';
export { architectureOf, loadPolicyCheckpoint, momentPrefix, type PolicyCheckpoint } from './nano/policyCheckpoint.js';
export { policyPrecision } from './nano/policyPrecision.js';
export { type Stem, ScreenNetwork } from './nano/screenNetwork.js';
export * from './nano/engineThread.js';
export * from './nano/vocabulary.js';
export { Weights } from './nano/weights.js';
export * from './nano/words.js';
export * from './runtime/vulkan.js';
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
export type { Engine, EngineTraits, Picture, Piece } from './engine.js';
export { type PieceInput, nativePieces } from './nano/nativePieces.js';
export { NativeTokenEngine } from './nano/nativeTokenEngine.js';
