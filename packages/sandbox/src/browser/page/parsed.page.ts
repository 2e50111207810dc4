interface Start {
  readonly script: (argument: unknown) => void;
  readonly argument: unknown;
  readonly failureName: string;
}

/** Calls a script once the document is parsed. */
export default function whenParsed({ script, argument, failureName }: Start): void {
  if (window !== window.top) return;
  const start = (): void => {
    try {
      script(argument);
    } catch (error) {
      const { stack } = (error ?? {}) as { readonly stack?: unknown };
      Object.assign(globalThis, { [failureName]: String(stack ?? error) });
    }
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start, { once: true });
  else start();
}
