import { expect, it } from 'vitest';
import { GyreError } from './error.js';

it('names the part of every outside failure', () => {
  expect(new GyreError('infra', 'it died', { part: 'browser' }).detail.part).toBe('browser');
  // @ts-expect-error infra without a part
  expect(new GyreError('infra', 'it died', { field: 'url' }).detail.part).toBeUndefined();
  // @ts-expect-error infra without a part
  expect(new GyreError('infra', 'it died').detail).toEqual({});
});

it('is the same after another thread has raised it', () => {
  const { code, message, detail } = new GyreError('storage', 'no room', { field: 'path', part: 'disk' });
  expect(GyreError.revive(code, message, detail)).toMatchObject({ code, message, detail });
  expect(GyreError.revive('infra', 'it died')).toMatchObject({ code: 'infra', detail: { part: 'machine' } });
});
