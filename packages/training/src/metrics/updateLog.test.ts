import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crc32c } from './crc32c.js';
import { UpdateLog } from './updateLog.js';

let dir: string;
let lake: Lake;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-updates-'));
  lake = await Lake.open(join(dir, 'lake'));
});
afterAll(async () => {
  await lake.close();
  await rm(dir, { recursive: true });
});

test('CRC-32C gives the values of RFC 3720', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(new Uint8Array())).toBe(0);
});

function records(file: Buffer): Buffer[] {
  const out: Buffer[] = [];
  const check = (data: Buffer, offset: number) => {
    const rotated = (file.readUInt32LE(offset) - 0xa282ead8) >>> 0;
    if (((rotated >>> 17) | (rotated << 15)) >>> 0 !== crc32c(data)) throw new Error(`bad checksum at ${offset}`);
  };
  for (let offset = 0; offset < file.length;) {
    const length = Number(file.readBigUInt64LE(offset));
    check(file.subarray(offset, offset + 8), offset + 8);
    const data = file.subarray(offset + 12, offset + 12 + length);
    check(data, offset + 12 + length);
    out.push(data);
    offset += 16 + length;
  }
  return out;
}

function fields(message: Buffer): [field: number, value: Buffer | number][] {
  const out: [number, Buffer | number][] = [];
  let offset = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[offset++]!;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  while (offset < message.length) {
    const key = varint();
    const [field, wire] = [key >> 3, key & 7];
    if (wire === 0) out.push([field, varint()]);
    else if (wire === 1) out.push([field, message.readDoubleLE((offset += 8) - 8)]);
    else if (wire === 5) out.push([field, message.readFloatLE((offset += 4) - 4)]);
    else {
      const length = varint();
      out.push([field, message.subarray(offset, (offset += length))]);
    }
  }
  return out;
}

const field = (message: Buffer, wanted: number) => fields(message).find(([number]) => number === wanted)?.[1];

test('a record is a line of JSON and a row of the lake, and its numbers are scalars of an event file', async () => {
  const time = new Date('2026-11-22T06:00:00.500Z');
  const log = await UpdateLog.open(dir, lake, () => time);
  const record = {
    environmentSteps: 70_000,
    entropy: 0.5,
    kl: NaN,
    success: { 'mail.send': 0.25 },
    staleness: { 0: 3 },
    explainedVariance: undefined,
    note: 'words',
  };
  await log.write(record);
  await log.write({ environmentSteps: 140_000 });

  const lines = (await readFile(join(dir, 'updates.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      at: time.toISOString(),
      environmentSteps: 70_000,
      entropy: 0.5,
      kl: null,
      success: { 'mail.send': 0.25 },
      staleness: { 0: 3 },
      note: 'words',
    },
    { at: time.toISOString(), environmentSteps: 140_000 },
  ]);

  const { rows } = await lake.sql(
    "SELECT updated_at, environment_steps, entropy, kl, success['mail.send'], note FROM updates ORDER BY environment_steps",
  );
  expect(rows).toEqual([
    [time.toISOString(), 70_000, 0.5, null, 0.25, 'words'],
    [time.toISOString(), 140_000, null, null, null, null],
  ]);

  const [name = ''] = await readdir(join(dir, 'tensorboard'));
  expect(name).toContain('tfevents');
  const [head, first, second] = records(await readFile(join(dir, 'tensorboard', name)));
  expect(String(field(head!, 3))).toBe('brain.Event:2');
  expect([field(first!, 1), field(first!, 2)]).toEqual([time.getTime() / 1000, 70_000]);
  const scalars = fields(field(first!, 5) as Buffer).map(([, value]) => [
    String(field(value as Buffer, 1)),
    field(value as Buffer, 2),
  ]);
  expect(scalars).toEqual([
    ['entropy', 0.5],
    ['success/mail.send', 0.25],
    ['staleness/0', 3],
  ]);
  expect([field(second!, 2), String(field(second!, 5))]).toEqual([140_000, '']);
});

test('a folder that is used again keeps what was there', async () => {
  const log = await UpdateLog.open(dir, lake, () => new Date('2026-11-22T07:00:00Z'));
  await log.write({ environmentSteps: 1 });
  expect((await readFile(join(dir, 'updates.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(3);
  expect(await readdir(join(dir, 'tensorboard'))).toHaveLength(2);
});

test('the numbers of the last record are gauges for Prometheus', async () => {
  const run = join(dir, 'a "run"');
  const log = await UpdateLog.open(run, lake, () => new Date('2026-11-22T08:00:00Z'));
  await log.write({ environmentSteps: 1, ...{ entropy: 0.5, success: { vault: 0.25 }, infraErrors: 1 } });
  await log.write({ environmentSteps: 512, ...{ kl: NaN, entropy: 0.25, success: { vault: 0.5, 'mail.send': 1 } } });
  const lines = (await readFile(join(run, 'metrics.prom'), 'utf8')).split('\n');
  expect(lines.filter((line) => line !== '' && !line.startsWith('#')).sort()).toEqual([
    'gyre_training_entropy{run="a \\"run\\""} 0.25',
    'gyre_training_environment_steps{run="a \\"run\\""} 512',
    'gyre_training_success{of="mail.send",run="a \\"run\\""} 1',
    'gyre_training_success{of="vault",run="a \\"run\\""} 0.5',
    `gyre_training_updated_seconds{run="a \\"run\\""} ${Date.parse('2026-11-22T08:00:00Z') / 1000}`,
  ]);
  expect(await readdir(run)).not.toContain('metrics.prom.new');
});
