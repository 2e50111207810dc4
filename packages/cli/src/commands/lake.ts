import { group } from '../command.js';
import { lakeCheck } from './lakeCheck.js';
import { lakeExport } from './lakeExport.js';
import { lakeImport } from './lakeImport.js';
import { lakePrune } from './lakePrune.js';
import { lakePull, lakePush } from './lakeRemote.js';
import { lakeSql } from './lakeSql.js';

export const lake = group('lake', 'asks, checks and prunes the episodes; to and from S3 and the formats of others', [
  ...[lakeSql, lakeCheck, lakePrune],
  ...[lakePush, lakePull, lakeExport, lakeImport],
]);
