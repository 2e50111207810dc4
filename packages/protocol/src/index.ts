export * from './action/point.js';
export * from './space/space.js';
export * from './action/action.js';
export * from './action/key.js';
export { pointsOf } from './action/pointsOf.js';
export { describeAction } from './action/describeAction.js';
export * from './action/fileEdit.js';
export * from './action/sdkCall.js';
export * from './action/surfaceOf.js';
export { type Call, type Parameter, calls, parameterNamed, typeNamed, typeOf } from './format/call.js';
export { type TurnPrefix, type ReadTurn, type TurnMessage, type TurnResult, withoutEndTokens } from './format/turn.js';
export { type T5Options, parseT5Prefix, parseT5, printT5 } from './format/t5.js';
export {
  type ClassicDialect,
  type ClassicOptions,
  parseClassicPrefix,
  classicDialects,
  parseClassic,
  printClassic,
} from './format/classic.js';
export { pythonJson } from './format/qwen/pythonJson.js';
export { actionsOfCalls } from './format/pyautogui/codeActions.js';
export { type PyautoguiCall, type PyautoguiResult, readPyautogui } from './format/pyautogui/pyautogui.js';
export * from './format/environmentTags.js';
export * from './space/pixelBox.js';
export * from './space/resize.js';
export * from './format/turnStream.js';
export * from './format/turnFormat.js';
export * from './episode/task.js';
export * from './episode/reading.js';
export * from './episode/episode.js';
export * from './episode/review.js';
export * from './episode/rolloutJob.js';
export * from './episode/speech.js';
export * from './environment/environment.js';
export { EnvironmentWrapper } from './environment/wrapper.js';
export { type CarriedOut, carryOut } from './environment/carryOut.js';
export { independentVerdict } from './episode/verdict.js';
export { shownInJson, shownJson, shownLines, shownText } from './format/shownText.js';
export * from './error.js';
export * from './trace.js';
