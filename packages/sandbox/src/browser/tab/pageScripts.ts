import { pageProgram } from '../pageProgram.js';

export function pointerLockScript(): string {
  return call(new URL('./page/pointerLock.page.bundle', import.meta.url));
}

/** Prevents native popups; for the isolated world. */
export function popupScript(): string {
  return call(new URL('./page/popups.page.bundle', import.meta.url));
}

/** Prevents native popups opened by script; for the page's world. */
export function pickerScript(): string {
  return call(new URL('./page/pickers.page.bundle', import.meta.url));
}

function call(file: URL): string {
  return `(${pageProgram(file)})();`;
}
