import { type Frame, frameOf } from '@gyre/sandbox';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABwAAAAcCAIAAAD9b0jDAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAIklEQVRIx2NooAFgGDV01NBRQ0cNHTV01NBRQ0cNHRmGAgDZoZg90NSRCwAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Stands for a screen of which no picture was sent: 28 x 28 px of mid-grey, always these bytes, so that whoever reads a captured
 * episode knows it by its hash.
 */
export const nothingSeen: Frame = frameOf(png, { width: 28, height: 28 });
