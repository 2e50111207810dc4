export type { Reader, Screen } from './reader.js';
