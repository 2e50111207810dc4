const largest = 256 * 1024 * 1024;

/** Reads a body of at most 256 MiB; throws for a larger one. */
export async function answerBody(answer: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > largest) throw new Error(`the answer is larger than ${largest / 2 ** 20} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
