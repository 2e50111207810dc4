import type { PageEventParams } from './pageEvent.js';

/** Formats a console message as `error: text`. */
export function consoleText({ type, args }: PageEventParams<'Runtime.consoleAPICalled'>): string {
  const texts = args.map(({ type, value, description }) =>
    typeof value === 'string' ? value : (description ?? (JSON.stringify(value) as string | undefined) ?? type),
  );
  return `${type}: ${texts.join(' ')}`;
}

export function exceptionText({ exceptionDetails }: PageEventParams<'Runtime.exceptionThrown'>): string {
  const { text, exception } = exceptionDetails;
  return `uncaught: ${exception?.description ?? text}`;
}
