import { createHash } from 'node:crypto';
import {
  type ChatMessage,
  contextTokens,
  nativePieces,
  type Picture,
  type Piece,
  pixelType,
  promptPicture,
  type VllmServer,
  vocabularyOf,
} from '@gyre/engine';
import type { Size } from '@gyre/protocol';
import sharp from 'sharp';

/** Prompts in pairs, whose answers differ in a trained model. */
export interface ProbePrompts {
  readonly texts: readonly [Piece[], Piece[]] | undefined;
  /** The same words after a red and after a blue picture. */
  readonly pictures: readonly [Piece[], Piece[]] | undefined;
}

export interface ChatProbe {
  readonly prompts: Required<ProbePrompts>;
  /** Stands for pictures, such as `<|image_pad|>`. */
  readonly pictureToken: number;
  /** Tokens of a picture of 224x224 pixels. */
  readonly pictureLength: number;
  /** Type of the rendered pixels, such as `float32`; undefined if the server's form is unknown. */
  readonly pixels: string | undefined;
}

const side: Size = { width: 224, height: 224 };

/** Draws a picture of one colour. */
export async function plainPicture(colour: 'red' | 'blue', size: Size = side): Promise<Picture> {
  const png = await sharp({ create: { ...size, channels: 3, background: colour } })
    .png()
    .toBuffer();
  return { hash: createHash('sha256').update(png).digest('hex'), png, size };
}

const userMessage = (content: ChatMessage['content']) => [{ role: 'user', content }] as ChatMessage[];

/** Renders two questions without pictures. */
export async function chatTexts(server: VllmServer): Promise<[Piece[], Piece[]]> {
  const render = async (text: string) => [{ tokens: (await server.render(userMessage(text), { ask: true })).ids }];
  return [await render('Name a red thing.'), await render('Name a blue thing.')];
}

/**
 * Renders the questions of a probe.
 *
 * @throws GyreError `bad_input` for a model without pictures, or whose pictures are not runs of one token
 */
export async function chatProbe(server: VllmServer, texts: readonly [Piece[], Piece[]]): Promise<ChatProbe> {
  const render = async (colour: 'red' | 'blue') => {
    const picture = await plainPicture(colour);
    const rendered = await server.render(
      userMessage([promptPicture(picture.png), { type: 'text', text: 'What colour is the picture?' }]),
      { ask: true },
    );
    const [place] = rendered.pictures;
    if (!place) throw server.unexpected('a prompt with a picture has none');
    const pixels = pixelType(place.feature.data ?? '');
    return { picture, pieces: server.pictures.pieces(rendered, [picture]), pixels, length: place.length };
  };
  const [red, blue] = [await render('red'), await render('blue')];
  return {
    prompts: { texts, pictures: [red.pieces, blue.pieces] },
    pictureToken: await server.pictures.pictureToken(red.picture),
    pictureLength: red.length,
    pixels: red.pixels,
  };
}

/** Builds prompts of the native policy, which always sees a picture. */
export async function nativePrompts(): Promise<ProbePrompts> {
  const size = { width: 320, height: 240 };
  const tokens = contextTokens(vocabularyOf(size), 'press "OK"', []);
  const prompt = async (colour: 'red' | 'blue') =>
    nativePieces({ pictures: [await plainPicture(colour, size)], tokens, clock: 0 });
  return { texts: undefined, pictures: [await prompt('red'), await prompt('blue')] };
}

/** Prompts with ids that every tokenizer has. */
export const anyTexts: readonly [Piece[], Piece[]] = [
  [{ tokens: [11, 12, 13, 14, 15, 16, 17, 18] }],
  [{ tokens: [21, 22, 23, 24, 25, 26, 27, 28] }],
];
