import { GyreError } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import { WaitingLine } from './waitingLine.js';

const late = () => new GyreError('infra', 'late', { part: 'lease' });

describe('a line of waiting claims', () => {
  it('serves owners in turn, and keeps each one in order', async () => {
    const line = new WaitingLine<{ owner: string; name: string }>();
    const order: string[] = [];
    const claims = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => ({ owner: name[0]!, name }));
    const waits = claims.map((claim) => line.wait(claim, { waitMs: 5_000, late }).then(() => order.push(claim.name)));
    for (let place = 0; place < claims.length; place++) {
      let free = 1;
      line.serve(() => free-- > 0);
      await new Promise(setImmediate);
    }
    await Promise.all(waits);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(line.length).toBe(0);
  });

  it('lets a claim that finds no place be overtaken', async () => {
    const line = new WaitingLine<{ owner: string; kind: string }>();
    const vm = line.wait({ owner: 'a', kind: 'vm' }, { waitMs: 20, late });
    const shell = line.wait({ owner: 'a', kind: 'shell' }, { waitMs: 5_000, late });
    line.serve(({ kind }) => kind === 'shell');
    await shell;
    await expect(vm).rejects.toThrow('late');
    expect(line.length).toBe(0);
  });
});
