import type { ReactNode } from 'react';

interface Turns {
  /** Number of turns before the screen that is shown. */
  readonly position: number;
  readonly last: number;
  /** Numbers beyond the ends are brought back. */
  readonly go: (to: number) => void;
}

/** Returns the keys that move between turns. */
export const turnKeys = ({ position, last, go }: Turns): Readonly<Record<string, (event: KeyboardEvent) => void>> => ({
  ArrowLeft: (event) => go(position - (event.shiftKey ? 10 : 1)),
  ArrowRight: (event) => go(position + (event.shiftKey ? 10 : 1)),
  k: () => go(position - 1),
  j: () => go(position + 1),
  Home: () => go(0),
  End: () => go(last),
});

/** Words for these keys. */
export const turnKeyWords = {
  ...{ ArrowLeft: 'previous turn, ten with shift', k: 'previous turn, ten with shift' },
  ...{ ArrowRight: 'next turn, ten with shift', j: 'next turn, ten with shift' },
  ...{ Home: 'first screen', End: 'last screen' },
};

/** Buttons and a slider that move between turns; `children` stand before them. */
export function TurnControls({ position, last, go, children }: Turns & { readonly children?: ReactNode }) {
  return (
    <div className="controls">
      {children}
      <button onClick={() => go(position - 1)} disabled={position === 0}>
        Previous
      </button>
      <button onClick={() => go(position + 1)} disabled={position >= last}>
        Next
      </button>
      <input
        type="range"
        aria-label="Turn"
        min={0}
        max={last}
        value={position}
        onChange={(event) => go(Number(event.target.value))}
      />
      <output>
        {position} of {last}
      </output>
    </div>
  );
}
