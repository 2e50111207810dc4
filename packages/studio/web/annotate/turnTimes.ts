import { useRef, useState } from 'react';

/** Measures the time from a person's key to the next candidates on the screen, in ms. */
export function useTurnTimes() {
  const began = useRef<number>(undefined);
  const [times, setTimes] = useState<readonly number[]>([]);
  const sorted = [...times].sort((a, b) => a - b);
  return {
    /** Undefined before the first turn. */
    median: sorted[Math.floor((sorted.length - 1) / 2)],
    begin: (): void => {
      began.current = performance.now();
    },
    end: (): void => {
      const from = began.current;
      began.current = undefined;
      // Once they are painted.
      if (from !== undefined) requestAnimationFrame(() => setTimes((before) => [...before, performance.now() - from]));
    },
  };
}
