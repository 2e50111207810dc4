import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { adapterTensors } from './adapterArchive.js';

function file(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(512);
  head.write(name);
  head.write(`${content.length.toString(8).padStart(11, '0')} `, 124);
  return Buffer.concat([head, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

const header = JSON.stringify({ __metadata__: { format: 'pt' }, 'a.lora_A.weight': {}, 'visual.b.lora_B.weight': {} });
const length = Buffer.alloc(8);
length.writeBigUInt64LE(BigInt(header.length));
const weights = Buffer.concat([length, Buffer.from(header), Buffer.alloc(700)]);
const tar = Buffer.concat([
  file('./', Buffer.alloc(0)),
  file('./adapter_config.json', Buffer.from('{}')),
  file('./adapter_model.safetensors', weights),
  Buffer.alloc(1_024),
]);

it('lists the tensors of an adapter in an archive, gzipped or not', () => {
  const tensors = ['a.lora_A.weight', 'visual.b.lora_B.weight'];
  expect(adapterTensors(tar)).toEqual(tensors);
  expect(adapterTensors(gzipSync(tar))).toEqual(tensors);
});

it('lists nothing for an archive without weights, and for other data', () => {
  expect(adapterTensors(file('config.json', Buffer.from('{}')))).toBeUndefined();
  expect(adapterTensors(Buffer.from('not an archive'))).toBeUndefined();
  expect(adapterTensors(gzipSync(tar).subarray(0, 60))).toBeUndefined();
});
