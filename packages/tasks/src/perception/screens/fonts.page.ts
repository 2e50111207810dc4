/** Returns the installed families: others fall back to the generic one. */
export default function presentFamilies({ families, text }: { families: readonly string[]; text: string }): string[] {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return [];
  const width = (font: string): number => {
    context.font = `40px ${font}`;
    return context.measureText(text).width;
  };
  return families.filter((family) =>
    ['serif', 'monospace'].some((generic) => width(`'${family}',${generic}`) !== width(generic)),
  );
}
