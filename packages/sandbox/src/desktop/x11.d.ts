declare module 'x11' {
  const x11: import('./xClient.js').X11;
  export default x11;
}
