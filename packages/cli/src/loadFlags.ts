import { optionalPositive, toggle } from './flag.js';

/** Flags of commands that lease a browser for the web. */
export const loadFlags = {
  loadSeconds: optionalPositive('seconds for which the load of a page is waited for (default: 10)', { example: '30' }),
  ignoreCertificateErrors: toggle('show pages whose certificates are not valid'),
};

/** Returns the terms of a lease that the flags say. */
export function loadTerms(flags: {
  readonly loadSeconds?: number | undefined;
  readonly ignoreCertificateErrors: boolean;
}) {
  const { loadSeconds, ignoreCertificateErrors } = flags;
  return { ignoreCertificateErrors, ...(loadSeconds !== undefined && { loadMs: loadSeconds * 1_000 }) };
}
