import { group } from '../command.js';
import { lakeCheck } from './lakeCheck.js';
import { lakeExport } from './lakeExport.js';
import { lakeImport } from './lakeImport.js';
import { lakePrune } from './lakePrune.js';
import { lakeSql } from './lakeSql.js';

export const lake = group('lake', 'asks, checks and prunes the episodes; to and from the formats of others', [
  ...[lakeSql, lakeCheck, lakePrune],
  ...[lakeExport, lakeImport],
]);
