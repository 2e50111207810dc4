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
export { openReader, type ReaderOptions } from './openReader.js';
export { ReaderThread } from './readerThread.js';
export { ReaderPool } from './readerPool.js';
export { LazyReader } from './lazyReader.js';
