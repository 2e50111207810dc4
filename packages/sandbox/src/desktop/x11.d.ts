declare module 'x11' {
  // An ambient module cannot use relative imports.
  // eslint-disable-next-line @typescript-eslint/consistent-type-imports
  const x11: import('./xClient.js').X11;
  export default x11;
}
