export * from './advantages/advantage.js';
export * from './advantages/baseline.js';
export * from './metrics/bestOf.js';
export * from './metrics/statistics.js';
export * from './algorithms/schedule.js';
export * from './flywheel/cycleSettings.js';
export * from './rollouts/dataset.js';
export * from './algorithms/correction.js';
export * from './metrics/evaluate.js';
export * from './flywheel/flywheel.js';
export type { GroupCounts } from './algorithms/group.js';
export { attemptsOf, type HeldOut, type Measured, measure } from './flywheel/heldOut.js';
export type { Played, PpoIteration } from './algorithms/iteration.js';
export { Journal } from './flywheel/journal.js';
export * from './metrics/result.js';
export {
  type Judged,
  type OrmOptions,
  type OrmQuality,
  type OrmTraining,
  bestThreshold,
  judged,
  ormQuality,
  ormScores,
  trainOrm,
} from './value/orm.js';
export * from './ct/perceptionCache.js';
export * from './ct/perceptionFeed.js';
export * from './algorithms/ppo.js';
export * from './algorithms/practice.js';
export * from './flywheel/presets.js';
export { type Circumstances, type Route, originOf, route } from './flywheel/route.js';
export { type Flow, type Routing } from './flywheel/routing.js';
export * from './flywheel/settings.js';
export * from './sft/sft.js';
export { bestOnSimplex, type Tried } from './flywheel/simplex.js';
export * from './algorithms/slices.js';
export * from './flywheel/stages.js';
export * from './advantages/targets.js';
export { UpdateLog, type UpdateRecord } from './metrics/updateLog.js';
export * from './value/value.js';
export * from './value/valueCeiling.js';
export * from './flywheel/workspace.js';
export { CtRecipe, transferFamilies } from './ct/recipe.js';
export { type CtStage, ct } from './ct/stage.js';
export { transitionInstruction, transitions } from './ct/transitions.js';
export * from './ct/comparedEngines.js';
export { type PageResult, evaluatePages, pooled } from './ct/evaluatePages.js';
export type { PageKind, SheetSource } from './ct/pageFeed.js';
export * from './ct/renderedSheets.js';
