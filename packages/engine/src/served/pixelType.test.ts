import { expect, it } from 'vitest';
import { pixelType } from './pixelType.js';

/** Encoded by msgspec as vLLM 0.30 does: `{pixel_values: {data: ('uint8', [2, 12], bytes), field}, image_grid_thw}`. */
const named =
  'gqxwaXhlbF92YWx1ZXOCpGRhdGGTpXVpbnQ4kgIMxxgDBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHpWZpZWxkk6RmbGF0kZMAEMAArmltYWdlX2dyaWRfdGh3gqRkYXRhk6VpbnQ2NJEDxxgDBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHpWZpZWxkkqdiYXRjaGVkwg==';
/** As earlier versions: a list of fields, the pixels last. */
const listed =
  'koSobW9kYWxpdHmlaW1hZ2Wja2V5rmltYWdlX2dyaWRfdGh3pGRhdGGTpWludDY0kQPHGAMHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwelZmllbGSRp2JhdGNoZWSEqG1vZGFsaXR5pWltYWdlo2tleaxwaXhlbF92YWx1ZXOkZGF0YZOnZmxvYXQzMpICAtgDBwcHBwcHBwcHBwcHBwcHB6VmaWVsZJOkZmxhdJGTAPDAyz/gAAAAAAAA';

it("reads the type of a picture's pixels", () => {
  expect(pixelType(named)).toBe('uint8');
  expect(pixelType(listed)).toBe('float32');
});

it('knows no type for data that ends early, and for other forms', () => {
  expect(pixelType(named.slice(0, -8))).toBeUndefined();
  expect(pixelType(Buffer.from('pixels of a hash').toString('base64'))).toBeUndefined();
  expect(pixelType('')).toBeUndefined();
});
