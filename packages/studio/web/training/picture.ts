import type uPlot from 'uplot';
import type { Panel } from '../../src/charts/trainingPanels.js';
import { saveFile } from '../parts/saveFile.js';
import { hueOf, resolved } from './colours.js';

const font = 'ui-sans-serif, system-ui, sans-serif';

/** Saves a diagram with its title and its legend as PNG, in the colours of the page. */
export async function savePicture(diagram: uPlot, { id, title, unit, curves }: Panel): Promise<void> {
  const source = diagram.ctx.canvas;
  const near = diagram.root;
  const scale = source.width / source.clientWidth;
  const [paper, ink, soft] = ['--card', '--ink', '--soft'].map((name) => resolved(`var(${name})`, near));
  const [margin, head, line] = [14 * scale, 44 * scale, 20 * scale];
  const canvas = document.createElement('canvas');
  canvas.width = source.width + 2 * margin;
  const named = curves.filter(({ name }) => name !== '');
  canvas.height = source.height + head + (named.length + 0.5) * line;
  const context = canvas.getContext('2d')!;
  context.fillStyle = paper!;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const write = (text: string, x: number, y: number, size: number, colour: string, weight = 400): void => {
    context.font = `${weight} ${size * scale}px ${font}`;
    context.fillStyle = colour;
    context.fillText(text, x, y);
  };
  write(title, margin, 22 * scale, 15, ink!, 650);
  write(unit, margin, 38 * scale, 12, soft!);
  context.drawImage(source, margin, head);
  for (const [i, { name }] of named.entries()) {
    const y = head + source.height + (i + 0.7) * line;
    context.fillStyle = resolved(hueOf(curves.findIndex((curve) => curve.name === name)), near);
    context.fillRect(margin, y - 9 * scale, 10 * scale, 10 * scale);
    write(name, margin + 16 * scale, y, 12, ink!);
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob) saveFile(blob, `${id.replaceAll(/[^\w-]+/g, '-')}.png`);
}
