export { Lake, type LakeOptions } from './store/lake.js';
export { type SpokenTurn, spokenTurns } from './store/speech.js';
export { FolderLock, type LockState } from './store/lock/folderLock.js';
export type { LakeEvent } from './store/follow.js';
export { watchFolder, type WatchOptions } from './store/watchFolder.js';
export type { EpisodeWriter } from './store/episodeWriter.js';
export type { Damage } from './store/episodeFiles.js';
export type { EpisodeFilter } from './query/episodeIndex.js';
export { Pool, type Added, type Offer } from './pools/pool.js';
export { PoolSample, PoolStage, SampleOrigin, isTrainTask, poolStages } from './pools/poolSample.js';
export type { Census } from './store/census.js';
export { type PruneOptions, type PruneReport, protectedPurposes } from './store/upkeep/prune.js';
export type { Answer } from './query/queries.js';
export { FolderStore } from './remote/folderStore.js';
export type { ObjectStore, StoredObject } from './remote/objectStore.js';
export { type S3Options, S3Store } from './remote/s3Store.js';
export type { TransferOptions, TransferReport } from './remote/transfer.js';
export type { FileSystem } from './store/fileSystem.js';
export {
  type ExportFormat,
  type ExportOptions,
  type ExportReport,
  exportEpisodes,
  exportFormats,
} from './exchange/exportEpisodes.js';
export {
  type ImportFormat,
  type ImportOptions,
  type ImportReport,
  importFiles,
  importFormats,
} from './exchange/importFiles.js';
export { type CoordinateSpace, coordinateSpaces } from './exchange/importing.js';
