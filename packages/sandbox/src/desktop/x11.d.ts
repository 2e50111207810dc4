declare module 'x11' {
  import type { X11 } from './xClient.js';
  const x11: X11;
  export default x11;
}
