/**
 * Refuses pointer lock. Headless Chromium cannot release it, which would block later mouse events and other sessions'
 * frames.
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
