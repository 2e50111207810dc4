export type {
  Datum,
  Engine,
  EngineTraits,
  Loss,
  Picture,
  Piece,
  SampleRequest,
  Sampled,
  SavedWeights,
} from './engine.js';
export { type MergedDatum, type SampledAnswer, mergedData } from './mergedData.js';
export { pictureRuns, piecesOf, tokenIds } from './pieces.js';
export { Random } from './random.js';

export type {
  NativeDatum,
  NativeEngine,
  NativeForward,
  NativeForwardBackward,
  NativeInput,
  NativeLearningRequest,
  NativeLoss,
  NativeOptimStep,
  NativeSampleRequest,
  NativeSampled,
  NativeSequence,
  Screenshot,
  TokenLogprob,
  TrainablePart,
  TrainingEngine,
} from './nano/nativeEngine.js';
export { EmbeddedEngine } from './nano/embeddedEngine.js';
export { EngineThread } from './nano/engineThread.js';
export { NativeTokenEngine } from './nano/nativeTokenEngine.js';
export { nativePieces } from './nano/nativePieces.js';
export { type ContextToken, type PastActions, contextTokens } from './nano/context.js';
export type { NativeAction } from './nano/grammar.js';
export { keyNames } from './nano/keys.js';
export { type DecodedTurn, Vocabulary, vocabularyHash, vocabularyOf } from './nano/vocabulary.js';
export { hanzi } from './nano/alphabet.js';
export { glyphLabels } from './nano/glyphs.js';
export * as screenGrid from './nano/grid.js';
export { type Architecture, architectures, longestAction, longestContext } from './nano/architecture.js';
export { hasReader, type NativeArchitecture, nativeArchitectures, screenshotsOf } from './eyes/nativeArchitecture.js';
export { canonical } from './eyes/strings.js';
export type { SceneArchitecture } from './eyes/architecture.js';
export type { PastScene, SceneContext } from './eyes/scene.js';
export { sceneOf, sceneVocabularyHash } from './eyes/sceneTokens.js';
export { acceptedTurn } from './eyes/acceptedTurn.js';

export { basePolicyName, builtInPolicyNames, pixelPolicyName, weightsFile } from './nano/builtInWeights.js';
export { loadCheckpoint, saveCheckpoint } from './checkpoint/checkpoint.js';
export type { HalfType } from './checkpoint/half.js';
export { exportPolicy } from './nano/exportedPolicy.js';
export { mergePolicies } from './nano/mergedPolicy.js';
export { loadPolicyCheckpoint } from './nano/policyCheckpoint.js';

export { type Backend, Graph, Tensor } from './tensor/graph.js';
export * as ops from './tensor/ops.js';
export { gradients } from './tensor/gradients.js';
export { frozen } from './tensor/frozen.js';
export { type Executable, type Feed, compile } from './runtime/executable.js';
export { type ParameterSpec, ParameterStore } from './runtime/parameters.js';
export { AdamW } from './optim/adamw.js';
export { onnxRuntime } from './runtime/onnxRuntime.js';
export { Muon } from './optim/muon.js';
export type { Optimiser } from './optim/optimiser.js';
export { TailAverage } from './optim/tailAverage.js';
export { type Vulkan, describeVulkan, findVulkan, isSoftwareVulkan, missingVulkan } from './runtime/vulkan.js';
export * as engineInternals from './internals.js';

export {
  type AnswerWithTokens,
  type ChatMessage,
  ChatModel,
  type ChatModelOptions,
  type ModelCompletion,
  sampledTokens,
} from './served/chatModel.js';
export { AnsweredMessage, type AnsweredCall, messageText, messageThought } from './served/answeredMessage.js';
export { ModelRefusal } from './served/modelConnection.js';
export { promptPicture } from './served/promptPicture.js';
export { parseServerJson, serverMessage } from './served/serverMessage.js';
export { ChatTemplate } from './served/chatTemplate.js';
export { TokenModel } from './served/tokenModel.js';
export { VllmSampler, type VllmSamplerOptions } from './served/vllmSampler.js';
export { pixelType } from './served/pixelType.js';
export { inspectVllm, type VllmInspection } from './served/vllmInspection.js';
export { VllmServer } from './served/vllmServer.js';

export { mergeAdapters, saveAdapter } from './adapter/mergedAdapter.js';

export { adapterTensors } from './tinker/adapterArchive.js';
export { type ModelRecord, TinkerClient } from './tinker/client.js';
export { type PublishedWeights, type Sampler, TinkerSampler } from './tinker/sampler.js';
export { TinkerEngine } from './tinker/tinkerEngine.js';
export { serveTinker } from './tinker/server/serveTinker.js';
