const names: Readonly<Record<string, string>> = {
  ...{ ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' },
  ...{ ' ': 'space', Home: 'home', End: 'end', Enter: 'enter', Escape: 'esc' },
};

/** Returns what is written on a key that `KeyboardEvent.key` names. */
export const keyName = (key: string): string => names[key] ?? key;
