/**
 * Source of a script for the isolated world that scrolls when a real wheel turns and the page does not prevent it. The
 * browser's own scrolling answers before it has scrolled, so the same wheel could show in this frame or in the next.
 */
export const scrollScript = String.raw`(() => {
  const scrolls = (element, axis) => {
    if (element === document.scrollingElement) return getComputedStyle(element)['overflow' + axis] !== 'hidden';
    return /auto|scroll/.test(getComputedStyle(element)['overflow' + axis]);
  };
  const room = (position, viewport, content, delta) => (delta > 0 ? position + viewport < content - 0.5 : position > 0.5);
  const onWheel = (event) => {
    if (!event.isTrusted || event.defaultPrevented || !event.cancelable) return;
    event.preventDefault();
    const { deltaX: left, deltaY: top } = event;
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (!path.includes(document.scrollingElement)) path.push(document.scrollingElement);
    for (const element of path) {
      if (!element) continue;
      const y = top !== 0 && scrolls(element, 'Y') && room(element.scrollTop, element.clientHeight, element.scrollHeight, top);
      const x = left !== 0 && scrolls(element, 'X') && room(element.scrollLeft, element.clientWidth, element.scrollWidth, left);
      if (x || y) return element.scrollBy({ left: x ? left : 0, top: y ? top : 0, behavior: 'instant' });
    }
  };
  // Added again at the start of each event, so that it comes after every listener of the page.
  window.addEventListener('wheel', () => {
    window.removeEventListener('wheel', onWheel);
    window.addEventListener('wheel', onWheel, { passive: false });
  }, { capture: true, passive: false });
})();`;
