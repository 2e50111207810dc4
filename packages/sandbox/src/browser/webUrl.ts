import { GyreError } from '@gyre/protocol';

/** Throws `bad_input` for files and browser pages. */
export function webUrl(url: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : `https://${url}`;
  if (/^(https?:\/\/|data:|about:blank$)/i.test(whole) && URL.canParse(whole)) return whole;
  throw new GyreError('bad_input', `cannot navigate to "${url}"`, {
    field: 'url',
    fix: 'use an http: or https: address',
  });
}
