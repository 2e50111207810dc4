import { type Frame, frameOf } from '@gyre/sandbox';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABwAAAAcCAIAAAD9b0jDAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAIklEQVRIx2NooAFgGDV01NBRQ0cNHTV01NBRQ0cNHRmGAgDZoZg90NSRCwAAAABJRU5ErkJggg==',
  'base64',
);

/** Stands for a missing image: 28 x 28 px grey, recognisable by hash. */
export const placeholderFrame: Frame = frameOf(png, { width: 28, height: 28 });
