export type { Reader, Screen } from './reader.js';
export {
  type LineDetector,
  LineReader,
  type LineReaderParts,
  type LineRecogniser,
  type RecognisedLine,
} from './lineReader.js';
export { LineCache } from './lineCache.js';
export { readerCharacters } from './own/characters.js';
export { OwnRecogniser } from './own/recogniser.js';
export { type RecogniserWeights, loadRecogniser, recogniserMetadata } from './own/recogniserWeights.js';
export { RecogniserShape, characterLogits, recogniserParameters, slotsOf } from './own/recogniserNetwork.js';
export { type NormalisedLine, Strips, normaliseLine, slotWidth, stripGap, stripHeight } from './own/lineStrip.js';
export { type CellMap, cellLines } from './own/cellLines.js';
export { OwnDetector } from './own/detector.js';
export { DetectorShape, cellSize, cellsOf, detectorParameters, distanceUnit } from './own/detectorNetwork.js';
export { type DetectorWeights, detectorMetadata, loadDetector } from './own/detectorWeights.js';
export { type OwnReaderOptions, openOwnReader } from './own/ownReader.js';
export { openPaddleReader, type PaddleReaderOptions } from './paddle/paddleReader.js';
export { openReader, type ReaderOptions } from './openReader.js';
export { ReaderThread } from './readerThread.js';
export { ReaderPool } from './readerPool.js';
export { LazyReader } from './lazyReader.js';
