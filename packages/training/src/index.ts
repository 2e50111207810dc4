export * from './advantage.js';
export * from './baseline.js';
export * from './bestOf.js';
export * from './statistics.js';
export * from './schedule.js';
export * from './cycleSettings.js';
export * from './dataset.js';
export * from './correction.js';
export * from './evaluate.js';
export * from './flywheel.js';
export type { GroupCounts } from './group.js';
export { attemptsOf, type HeldOut, type Measured, measure } from './heldOut.js';
export type { Played, PpoIteration } from './iteration.js';
export { Journal } from './journal.js';
export * from './result.js';
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
} from './orm.js';
export * from './perceptionCache.js';
export * from './perceptionFeed.js';
export * from './ppo.js';
export * from './practice.js';
export * from './presets.js';
export { type Circumstances, type Route, originOf, route } from './route.js';
export { type Flow, type Routing } from './routing.js';
export * from './settings.js';
export * from './sft.js';
export { bestOnSimplex, type Tried } from './simplex.js';
export * from './slices.js';
export * from './stages.js';
export * from './targets.js';
export { UpdateLog, type UpdateRecord } from './updateLog.js';
export * from './value.js';
export * from './valueCeiling.js';
export * from './workspace.js';
export { CtRecipe, transferFamilies } from './ct/recipe.js';
export { type CtStage, ct } from './ct/stage.js';
export { transitionInstruction, transitions } from './ct/transitions.js';
export * from './ct/comparedEngines.js';
export { type PageResult, evaluatePages, pooled } from './ct/evaluatePages.js';
export type { PageKind, SheetSource } from './ct/pageFeed.js';
export * from './ct/renderedSheets.js';
