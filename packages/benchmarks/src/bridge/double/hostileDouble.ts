import { createInterface } from 'node:readline';

/** Replies to every request with the bytes in its terms, which need not keep to the protocol. */
for await (const line of createInterface({ input: process.stdin })) {
  const { terms } = JSON.parse(line) as { terms: { bytes: string } };
  process.stdout.write(Buffer.from(terms.bytes, 'base64'));
}
