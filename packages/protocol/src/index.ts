export * from './point.js';
export * from './space.js';
export * from './action.js';
export * from './key.js';
export * from './fileEdit.js';
export * from './sdkCall.js';
export { type Call, type Parameter, calls, parameterNamed, typeNamed, typeOf } from './call.js';
export type { Beginning, ReadTurn, TurnMessage, TurnResult } from './turn.js';
export { type T5Options, beginningOfT5, parseT5, printT5 } from './t5.js';
export {
  type ClassicDialect,
  type ClassicOptions,
  beginningOfClassic,
  classicDialects,
  parseClassic,
  printClassic,
} from './classic.js';
export * from './environmentTags.js';
export * from './resize.js';
export * from './turnStream.js';
export * from './turnFormat.js';
export * from './task.js';
export * from './episode.js';
export { independentVerdict } from './verdict.js';
export { shownInJson, shownJson, shownLines, shownText } from './shownText.js';
export * from './error.js';
