/**
 * Source of a script that refuses to lock the pointer, as browsers do where nobody has clicked. A lock holds every later event of the mouse
 * back for ever, and the frames of other sessions of the browser with it: there is no window system to give the pointer back.
 */
export const pointerLockScript = String.raw`(() => {
  const refuse = (target) => {
    queueMicrotask(() => target.ownerDocument.dispatchEvent(new Event('pointerlockerror', { bubbles: true })));
    return Promise.reject(new DOMException('The pointer cannot be locked here.', 'NotSupportedError'));
  };
  Object.defineProperty(Element.prototype, 'requestPointerLock', {
    value: function requestPointerLock() { const refused = refuse(this); refused.catch(() => undefined); return refused; },
    writable: true, configurable: true, enumerable: true,
  });
})();`;
