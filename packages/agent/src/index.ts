export type { Assignment, Context, Decision, Oracle, PastTurn, Policy, Solution } from './policy/policy.js';
export { pastTurn } from './policy/policy.js';
export { act } from './loop/act.js';
export { defaultScreenshots, type EpisodeOptions, runEpisode } from './loop/episode.js';
export { KeptSession } from './loop/keptSession.js';
export { AgentFault, Stage, type StageOptions } from './loop/stage.js';
export { type ControlState, EpisodeControl, type EpisodeControlOptions, type Wait } from './loop/episodeControl.js';
export { ControlClient } from './live/controlClient.js';
export { type ControlSocket, openControlSocket } from './live/controlSocket.js';
export { type ControlReply, ControlRequest, ControlVerb, type LiveState, Viewer } from './live/controlWire.js';
export {
  type EpisodeCounts,
  type Episodes,
  type EpisodesOptions,
  type GivenUp,
  type Job,
  runEpisodes,
} from './loop/episodes.js';
export { forkOf } from './loop/fork.js';
export { type ActionSpace, type RandomActionType, randomPolicy } from './policy/randomPolicy.js';
export type { Language } from './language/language.js';
export { ChatLanguage } from './language/chat.js';
export { nativeInput, NativeLanguage } from './language/native.js';
export { nativePolicy } from './policy/nativePolicy.js';
export { sceneContext } from './language/sceneContext.js';
export { enginePolicy, type EnginePolicyOptions } from './policy/enginePolicy.js';
export { readingOracle, readingPolicy, type ReadingPolicyOptions } from './policy/readingPolicy.js';
export type { ScreenReader } from './policy/screenTexts.js';
export { sampledPolicy, type SampledPolicyOptions } from './policy/sampledPolicy.js';
export { TaskSessions, type TaskSessionsOptions } from './loop/taskSessions.js';
export { untilAborted } from './loop/abort.js';
export { ClientSessions } from './loop/clientSessions.js';
export { oraclePolicy } from './policy/oraclePolicy.js';
export { type Picture, pixels } from './loop/pixels.js';
export {
  endpointPolicy,
  type EndpointCounts,
  type EndpointOptions,
  type EndpointPolicy,
} from './policy/endpoint/endpointPolicy.js';
export { sessionSdk } from './tools/sdk.js';
export type { Found, FoundPage, SearchService } from './tools/searchService.js';
export { searxng, type SearxngOptions } from './tools/searxng.js';
export { Memory, MemoryFile } from './memory/memoryFile.js';
export { type ModelServer, type ModelServerOptions, serveModel } from './policy/endpoint/modelServer.js';
export { type PromptMode, type PromptOptions, promptModes, systemPrompt, type Thinking } from './language/prompt.js';
export { type Gateway, type GatewayOptions, serveGateway } from './gateway/captureServer.js';
export { captured } from './gateway/capturedEpisode.js';
export { placeholderFrame } from './gateway/placeholderFrame.js';
export { anthropicPolicy } from './policy/computerUse/anthropicPolicy.js';
export { openaiComputerPolicy } from './policy/computerUse/openaiComputerPolicy.js';
export type { ComputerUseCounts, ComputerUseOptions, ComputerUsePolicy } from './policy/computerUse/computerUse.js';
