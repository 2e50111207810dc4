export type { Reader, Screen } from './reader.js';
export {
  type LineDetector,
  LineReader,
  type LineReaderParts,
  type LineRecogniser,
  type RecognisedLine,
} from './lineReader.js';
export { LineCache } from './lineCache.js';
export { openPaddleReader, type PaddleReaderOptions } from './paddle/paddleReader.js';
