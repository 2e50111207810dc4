export type { Solution, TaskRun } from './taskRun.js';
export type { Assignment, Context, Decision, Oracle, PastTurn, Policy } from './policy.js';
export { type CarriedOut, carryOut } from './carryOut.js';
export { defaultScreenshots, type EpisodeOptions, runEpisode } from './episode.js';
export { AgentFault, Stage } from './stage.js';
export { type ControlState, EpisodeControl, type Wait } from './episodeControl.js';
export {
  type EpisodeCounts,
  type Episodes,
  type EpisodesOptions,
  type GivenUp,
  type Job,
  runEpisodes,
  type SessionSource,
} from './episodes.js';
export { forkOf } from './fork.js';
export { type ActionSpace, type RandomActionType, randomPolicy } from './randomPolicy.js';
export { modelInput, nativePolicy } from './nativePolicy.js';
export { TaskSessions, type TaskSessionsOptions } from './taskSessions.js';
export { oraclePolicy } from './oraclePolicy.js';
export { type Picture, pixels } from './pixels.js';
export {
  endpointPolicy,
  type EndpointCounts,
  type EndpointOptions,
  type EndpointPolicy,
} from './endpoint/endpointPolicy.js';
export type { OfferedTool } from './sdk/mcpTool.js';
export type { Found, FoundPage, SearchService } from './sdk/searchService.js';
export { searxng, type SearxngOptions } from './sdk/searxng.js';
export { Memory, MemoryFile } from './endpoint/memoryFile.js';
export { type ModelServer, type ModelServerOptions, serveModel } from './endpoint/modelServer.js';
export { type PromptMode, type PromptOptions, promptModes, systemPrompt, type Thinking } from './endpoint/prompt.js';
export { type Gateway, type GatewayOptions, serveGateway } from './gateway/captureServer.js';
export { captured } from './gateway/capturedEpisode.js';
export { nothingSeen } from './gateway/nothingSeen.js';
export { anthropicPolicy } from './computerUse/anthropicPolicy.js';
export { openaiComputerPolicy } from './computerUse/openaiComputerPolicy.js';
export type { ComputerUseCounts, ComputerUseOptions, ComputerUsePolicy } from './computerUse/computerUse.js';
