import { GyreError } from '@gyre/protocol';

/** Throws `bad_input` for lone surrogates and control characters except line breaks and tabs. */
export function checkTyped(text: string): void {
  // eslint-disable-next-line no-control-regex
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|[\ud800-\udfff]/u.exec(text);
  if (control === null) return;
  throw new GyreError('bad_input', `U+${control[0].charCodeAt(0).toString(16).padStart(4, '0')} cannot be typed`, {
    field: 'text',
    fix: 'type characters, line breaks and tabs; use hotkey for other keys',
  });
}
