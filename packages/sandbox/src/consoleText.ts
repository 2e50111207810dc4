type Params = Readonly<Record<string, unknown>>;

interface RemoteValue {
  readonly type: string;
  readonly value?: unknown;
  readonly description?: string;
}

/** A line of a page's console, of `Runtime.consoleAPICalled`: `error: what it says`. */
export function consoleText(params: Params): string {
  const { type, args } = params as { type: string; args: readonly RemoteValue[] };
  const said = args.map(({ type, value, description }) =>
    typeof value === 'string' ? value : (description ?? JSON.stringify(value) ?? type),
  );
  return `${type}: ${said.join(' ')}`;
}

/** What a page threw and nobody caught, of `Runtime.exceptionThrown`. */
export function exceptionText(params: Params): string {
  const { text, exception } = (params as { exceptionDetails: { text: string; exception?: RemoteValue } })
    .exceptionDetails;
  return `uncaught: ${exception?.description ?? text}`;
}
