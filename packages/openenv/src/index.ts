export { type OpenenvOptions, type OpenenvServer, serveOpenenv } from './server.js';
export { type OpenenvMode, openenvModes } from './wire.js';
