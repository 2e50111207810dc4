import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeaseCommand, LeaseReply } from './command.js';
import { type NodeRecord, readHolder, readNode, writeHolder } from './member.js';
import { instanceOf, isInstance, namesOf, newInstance } from './names.js';
import { read } from './read.js';

const record: NodeRecord = {
  instance: 'rack_00000000',
  seq: 3,
  token: 'a token of sixteen characters',
  offer: {
    url: 'http://10.0.0.5:8700',
    kinds: ['browser', 'shell'],
    labels: { zone: 'a' },
    capacity: 16,
    phones: [],
    remotes: [],
    images: [],
    roots: [],
  },
  load: { taken: 1, starting: 0, warm: { browser: 2 }, draining: false },
};
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('messages of other processes', () => {
  it('are read if they are whole', () => {
    expect(readNode('rack_00000000', bytesOf(record))).toEqual(record);
    expect(readHolder(Buffer.from(writeHolder('node.rack_00000000')))).toBe('node.rack_00000000');
    expect(
      read(LeaseReply, bytesOf({ ok: false, error: { code: 'infra', message: 'x' }, full: true, load: record.load })),
    ).toMatchObject({ full: true });
  });

  it('are nothing if they are anything else', () => {
    const isNothing = (bytes: Uint8Array) => {
      expect(readNode('rack_00000000', bytes)).toBeUndefined();
      expect(readHolder(bytes)).toBeUndefined();
      expect(read(LeaseCommand, bytes)).toBeUndefined();
      expect(read(LeaseReply, bytes)).toBeUndefined();
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), isNothing));
    fc.assert(fc.property(fc.jsonValue(), (value) => isNothing(bytesOf(value))));
    isNothing(Buffer.from('['.repeat(500_000)));
    isNothing(Buffer.alloc(2 ** 21, ' '));
    isNothing(Buffer.from('{"__proto__":{"instance":"rack_00000000"}}'));
  });

  it('are nothing with one field changed, or of another node', () => {
    const paths = ['instance', 'seq', 'token', 'offer', 'load'] as const;
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (field, value) => {
        const changed = bytesOf({ ...record, [field]: value });
        const result = readNode('rack_00000000', changed);
        if (result) expect(bytesOf(result)).toEqual(changed);
      }),
    );
    expect(readNode('other_00000000', bytesOf(record))).toBeUndefined();
    expect(readNode('rack_00000000', bytesOf({ ...record, more: 1 }))).toBeUndefined();
    expect(
      readNode('rack_00000000', bytesOf({ ...record, offer: { ...record.offer, url: 'file:///etc' } })),
    ).toBeUndefined();
  });
});

describe('names', () => {
  it('of sessions lead to their node', () => {
    const instance = newInstance('rack-1');
    expect(instanceOf(`${instance}-12`)).toBe(instance);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const instance = instanceOf(text);
        if (instance !== undefined) expect(isInstance(instance) && text.startsWith(`${instance}-`)).toBe(true);
      }),
    );
    for (const strange of ['', '-1', 'sandbox', 'a.b-1', 'a>-1', 'a-', 'a- 1', `${'a'.repeat(65)}-1`]) {
      expect(instanceOf(strange)).toBeUndefined();
    }
  });

  it('that NATS would read as patterns are refused', () => {
    for (const strange of ['', 'a.b', '*', '>', 'a b', 'a'.repeat(60)]) {
      expect(() => newInstance(strange === '' ? '.' : strange)).toThrow(expect.objectContaining({ code: 'bad_input' }));
      expect(() => namesOf(strange)).toThrow(expect.objectContaining({ code: 'bad_input' }));
    }
  });
});
