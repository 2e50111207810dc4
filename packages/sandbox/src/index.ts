export { startBareLoop, type BareLoop } from './bareLoop.js';
export { findBrowser, type Executable } from './executable.js';
export type { Clock, Network } from './flags.js';
export type { Frame } from './frame.js';
export type { PageSource } from './page.js';
export { BrowserPool, type LeaseOptions, type PoolOptions } from './pool.js';
export { type BrowserSession, type BrowserSurface, type Screen, type Session, browserOf } from './session.js';
export type { SessionState } from './state.js';
