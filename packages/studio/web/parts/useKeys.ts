import { useEffect, useRef } from 'react';

/** Calls handlers by key, unless a person is typing or a modifier other than shift is held. */
export function useKeys(handlers: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]')) return;
      // Space and the like belong to a focused button.
      if (event.key === ' ' && target instanceof HTMLElement && target.closest('button, a, summary')) return;
      const handler = latest.current[event.key];
      if (!handler) return;
      event.preventDefault();
      handler(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
