export { Lake, type LakeOptions } from './lake.js';
export type { EpisodeWriter } from './episodeWriter.js';
export type { Damage, EpisodeFilter } from './episodeFiles.js';
export type { Census } from './census.js';
export type { FileSystem } from './fileSystem.js';
