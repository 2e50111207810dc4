import { pageProgram } from '../pageProgram.js';

/** Returns a script for the page's world that refuses to lock the pointer. */
export function pointerLockScript(): string {
  return call(new URL('./page/pointerLock.page.bundle', import.meta.url));
}

/** Returns a script for the isolated world that keeps the browser from opening windows of its own, such as the list of a `select`. */
export function popupScript(): string {
  return call(new URL('./page/popups.page.bundle', import.meta.url));
}

/** Returns a script for the page's world that keeps the page's own scripts from opening them. */
export function pickerScript(): string {
  return call(new URL('./page/pickers.page.bundle', import.meta.url));
}

function call(file: URL): string {
  return `(${pageProgram(file)})();`;
}
