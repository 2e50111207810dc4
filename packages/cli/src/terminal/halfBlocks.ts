import sharp from 'sharp';

/** Renders two pixels per half block: foreground above, background below. */
export async function halfBlocks(png: Uint8Array, columns: number): Promise<string[]> {
  const { width, height } = await sharp(png).metadata();
  const rows = Math.max(1, Math.round((columns * height) / width / 2));
  const pixels = await sharp(png)
    .resize(columns, 2 * rows, { fit: 'fill', kernel: 'lanczos3' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer();
  const colour = (column: number, row: number): string => {
    const offset = 3 * (row * columns + column);
    return `${pixels[offset]};${pixels[offset + 1]};${pixels[offset + 2]}`;
  };
  return Array.from({ length: rows }, (_, row) => {
    const cells = Array.from(
      { length: columns },
      (_, column) => `\x1b[38;2;${colour(column, 2 * row)}m\x1b[48;2;${colour(column, 2 * row + 1)}m▀`,
    );
    return `${cells.join('')}\x1b[0m`;
  });
}
