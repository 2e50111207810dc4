export type { Solution, TaskRun } from './loop/taskRun.js';
export type { Assignment, Context, Decision, Oracle, PastTurn, Policy } from './policy/policy.js';
export { type CarriedOut, carryOut } from './loop/carryOut.js';
export { defaultScreenshots, type EpisodeOptions, runEpisode } from './loop/episode.js';
export { AgentFault, Stage } from './loop/stage.js';
export { type ControlState, EpisodeControl, type Wait } from './loop/episodeControl.js';
export {
  type EpisodeCounts,
  type Episodes,
  type EpisodesOptions,
  type GivenUp,
  type Job,
  runEpisodes,
  type SessionSource,
} from './loop/episodes.js';
export { forkOf } from './loop/fork.js';
export { type ActionSpace, type RandomActionType, randomPolicy } from './policy/randomPolicy.js';
export type { Language } from './language/language.js';
export { nativeInput, NativeLanguage } from './language/native.js';
export { nativePolicy } from './policy/nativePolicy.js';
export { sampledPolicy, type SampledPolicyOptions } from './policy/sampledPolicy.js';
export { TaskSessions, type TaskSessionsOptions } from './loop/taskSessions.js';
export { oraclePolicy } from './policy/oraclePolicy.js';
export { type Picture, pixels } from './loop/pixels.js';
export {
  endpointPolicy,
  type EndpointCounts,
  type EndpointOptions,
  type EndpointPolicy,
} from './policy/endpoint/endpointPolicy.js';
export type { OfferedTool } from './tools/mcpTool.js';
export type { Found, FoundPage, SearchService } from './tools/searchService.js';
export { searxng, type SearxngOptions } from './tools/searxng.js';
export { Memory, MemoryFile } from './memory/memoryFile.js';
export { type ModelServer, type ModelServerOptions, serveModel } from './policy/endpoint/modelServer.js';
export { type PromptMode, type PromptOptions, promptModes, systemPrompt, type Thinking } from './language/prompt.js';
export { type Gateway, type GatewayOptions, serveGateway } from './gateway/captureServer.js';
export { captured } from './gateway/capturedEpisode.js';
export { nothingSeen } from './gateway/nothingSeen.js';
export { anthropicPolicy } from './policy/computerUse/anthropicPolicy.js';
export { openaiComputerPolicy } from './policy/computerUse/openaiComputerPolicy.js';
export type { ComputerUseCounts, ComputerUseOptions, ComputerUsePolicy } from './policy/computerUse/computerUse.js';
