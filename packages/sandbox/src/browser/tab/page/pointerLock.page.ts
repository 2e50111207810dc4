/**
 * Refuses to lock the pointer, as browsers do where nobody has clicked. There is no window system to give the pointer back: a lock would hold
 * back every later event of the mouse, and the frames of other sessions of the browser.
 */
export default function refusePointerLock(): void {
  const refuse = (target: Element): Promise<never> => {
    const failed = new Event('pointerlockerror', { bubbles: true });
    queueMicrotask(() => target.ownerDocument.dispatchEvent(failed));
    return Promise.reject(new DOMException('The pointer cannot be locked here.', 'NotSupportedError'));
  };
  const methods = {
    requestPointerLock(this: Element) {
      const refused = refuse(this);
      refused.catch(() => undefined);
      return refused;
    },
  };
  Object.defineProperties(Element.prototype, Object.getOwnPropertyDescriptors(methods));
}
