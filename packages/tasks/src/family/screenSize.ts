import { GyreError, type Size } from '@gyre/protocol';

/** Throws `bad_input` below the smallest size, or for sides that are no multiples of 8 and 16 px. */
export function checkScreen(family: string, { width, height }: Size, smallest: Size): void {
  if (width >= smallest.width && height >= smallest.height && width % 8 === 0 && height % 16 === 0) return;
  throw new GyreError('bad_input', `${family} does not support a screen of ${width} x ${height} px`, {
    field: 'size',
    fix: `use at least ${smallest.width} x ${smallest.height}, with a width divisible by 8 and a height divisible by 16`,
  });
}

/** Returns the suffix of a task id: `/640x480`, or '' for the usual screen. */
export function sizeSuffix({ width, height }: Size, defaultSize: Size): string {
  return width === defaultSize.width && height === defaultSize.height ? '' : `/${width}x${height}`;
}
