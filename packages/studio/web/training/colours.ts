import { useEffect, useState } from 'react';

const hues = [
  ...['var(--trained)', 'var(--start)', 'var(--oracle)'],
  ...['light-dark(#be3a7a, #f472b6)', 'light-dark(#2b6cb0, #60a5fa)', 'light-dark(#6b7280, #a3a9b5)'],
];

/** Returns the colour of a curve, as in the report. */
export const hueOf = (index: number): string => hues[index % hues.length]!;

/** Resolves a colour for a canvas, which knows no variables. */
export function resolved(colour: string, near: HTMLElement): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  near.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Follows the system's scheme. */
export function useScheme(): 'dark' | 'light' {
  const [isDark, setIsDark] = useState(dark.matches);
  useEffect(() => {
    const change = (): void => setIsDark(dark.matches);
    dark.addEventListener('change', change);
    return () => dark.removeEventListener('change', change);
  }, []);
  return isDark ? 'dark' : 'light';
}
