export { type Progress, flywheel, trainedWeights } from './flywheel/flywheel.js';
export { type GivenSettings, Settings, fromScratch as scratch, defaultFamilies } from './flywheel/settings.js';
export {
  type PresetName,
  rlPresetNames,
  rlPresets,
  presetNames,
  presetOf,
  presets,
  servedPreset,
} from './flywheel/presets.js';
export type { CycleResult, CyclesResult, FamilyResult, FlywheelResult } from './metrics/result.js';
export { type Route, originOf, route } from './flywheel/route.js';
export type { RoutedFlow as Flow } from './flywheel/routing.js';

export { architectureOf, firstWeights } from './flywheel/architecture.js';
export { Workspace } from './flywheel/workspace.js';
export type { Learner, StoredEngine } from './flywheel/learner.js';
export { isPassing, Journal } from './flywheel/journal.js';
export { RunWeights } from './flywheel/runWeights.js';
export {
  recordDemonstrations as demonstrate,
  trainOnLetters as letters,
  acceptedAnnotations,
  readDemonstrations,
  successfulDemonstrations,
  fineTune as sft,
  pretrainCritic as valuePretraining,
} from './flywheel/stages.js';
export { CtRecipe } from './ct/recipe.js';
export { continueTraining as ct } from './ct/stage.js';
export { type RlOptions, trainRl } from './algorithms/rlLoop.js';
export { type RejectionSample, rejectionSample } from './algorithms/rft.js';
export { type RftRound, trainRft } from './algorithms/rftLoop.js';
export type { PpoIteration } from './algorithms/iteration.js';
export { expectForkable } from './algorithms/vineppo.js';

export {
  type Algorithm,
  type PolicyUpdate,
  type UpdateOptions,
  estimateTargets,
  updatePolicy,
} from './algorithms/update.js';
export {
  gae,
  decoupledGae,
  groupAdvantages,
  lengthAdaptiveLambda,
  returns,
  spreadOverTokens,
} from './advantages/advantage.js';
export { Baseline } from './advantages/baseline.js';
export { QueuedRollouts } from './rollouts/queuedRollouts.js';
export { playJobs, type WorkerEvent } from './rollouts/rolloutWorker.js';
export { announceWeights, fetchWeights } from './rollouts/weightsExchange.js';
export { familyWeights } from './rollouts/curriculum.js';
export type { Rollout, Target } from './advantages/targets.js';
export { behaviourWeights } from './algorithms/correction.js';
export { scheduledRate as learningRate } from './algorithms/schedule.js';
export { minibatches as slices } from './algorithms/slices.js';
export { type ValueEpoch, pretrainValue } from './value/value.js';
export { type ValueCeiling, valueCeiling } from './value/valueCeiling.js';
export { bestOnSimplex } from './flywheel/simplex.js';

export { type Decision, ScreenshotReader, readDecisions as decisions } from './rollouts/dataset.js';
export { sampledData } from './rollouts/sampledData.js';
export { type ProbabilityGap, expectSmallGap, probabilityGap } from './served/probabilityGap.js';
export {
  anyTexts,
  type ChatProbe,
  chatProbe,
  chatTexts,
  nativePrompts,
  plainPicture,
  type ProbePrompts,
} from './served/probePrompts.js';
export {
  gapAfterSteps,
  type PictureEffect,
  type SampledGap,
  sampledGap,
  samplerPictureEffect,
  type StepReport,
  trainerPictureEffect,
} from './served/serverProbe.js';
export { ServedCritic, type ServedCriticOptions } from './served/servedCritic.js';
export { languageDecisions } from './served/languageDecisions.js';
export { servedDecisions } from './served/servedDecisions.js';
export { adapterOf } from './served/servedCheckpoint.js';
export { ServedPolicy } from './served/servedPolicy.js';
export { expectServable } from './served/unsupported.js';
export { collectDemonstrations, collectHeldOut, collectPractice } from './base/demonstrations.js';
export { rightDecisions } from './base/heldOut.js';
export { basePresets } from './base/presets.js';
export { BaseRecipe } from './base/recipe.js';
export { type BaseStep, trainBase } from './base/trainBase.js';
export { sceneDecision } from './rollouts/sceneDecision.js';
export { PerceptionCache } from './ct/perceptionCache.js';
export { PerceptionFeed } from './ct/perceptionFeed.js';
export { RenderedSheets } from './ct/renderedSheets.js';

export {
  type SkippedFamilies,
  type RolloutResult,
  attemptSeed,
  isComplete,
  playRollouts,
  unplayableReason,
  defaultSessions,
} from './evaluation/rollouts.js';
export { answerQuestions, type GroundingAnswer } from './evaluation/grounding.js';
export { type Rate, sumOfRates } from './evaluation/endings.js';
export { type ScalingResult, playScaling } from './evaluation/scaling.js';
export {
  type AttemptedTasks,
  attemptedTasks,
  type ComparedRun,
  type ComparedTasks,
  type Comparison,
  compareRuns,
} from './evaluation/compare/compareRuns.js';
export {
  comparableAttempts,
  humanPolicy,
  type RecordedAttempt,
  type TrainedTasks,
  recordedAttempts,
  trainedTasks,
} from './evaluation/compare/recordedAttempts.js';
export { type RecordedRun, type RunFilter, runOf, selectRun } from './evaluation/compare/recordedRun.js';
export { type Sweep, sweepMerge } from './evaluation/mergeSweep.js';
export { prover } from './evaluation/prover.js';
export {
  type HeldOut,
  type HeldOutResult as Measured,
  attemptsOf,
  evaluateHeldOut as measure,
} from './flywheel/heldOut.js';
export { type Gain, type Result, gainOf, resultOf } from './metrics/evaluate.js';
export { type Share, klK3, mean, wilson } from './metrics/statistics.js';
export { ormQuality, ormScores, trainOrm } from './value/orm.js';
export { type OrmQuery as Judged, ormQuery as judged } from './value/ormQuery.js';
export { type PageResult, evaluatePages, pooled } from './ct/evaluatePages.js';
export { ComparedEngines } from './ct/comparedEngines.js';
export { UpdateLog, type UpdateRecord } from './metrics/updateLog.js';
export { ReaderRecipe } from './reader/recipe.js';
export { type TrainReaderOptions, trainDetector, trainRecogniser } from './reader/trainReader.js';
export { type LineScores, evaluateLines } from './reader/evaluateLines.js';
export {
  type MeasuredRate,
  type ReaderEvaluation,
  type ReaderResult,
  evaluateReader,
} from './reader/evaluateReader.js';
export { LineSheetStore } from './reader/lineSheetStore.js';
