export { Lake, type LakeOptions } from './lake.js';
export { FolderLock } from './folderLock.js';
export type { EpisodeWriter } from './episodeWriter.js';
export type { Damage } from './episodeFiles.js';
export type { EpisodeFilter } from './episodeIndex.js';
export { Pool, type Added, type Offer } from './pools/pool.js';
export { PoolSample, PoolStage, SampleOrigin, isOfTrain, poolStages } from './pools/poolSample.js';
export type { Census } from './census.js';
export { type PruneOptions, type PruneReport, protectedPurposes } from './prune.js';
export type { Answer } from './queries.js';
export { FolderStore } from './remote/folderStore.js';
export type { ObjectStore, StoredObject } from './remote/objectStore.js';
export { type S3Options, S3Store } from './remote/s3Store.js';
export type { TransferOptions, TransferReport } from './remote/transfer.js';
export type { FileSystem } from './fileSystem.js';
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
