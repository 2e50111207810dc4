import { optionalPositive, toggle } from './flag.js';

/** Flags of commands that lease a browser for the web. */
export const loadFlags = {
  loadSeconds: optionalPositive('seconds to wait for a page to load (default: 10)', { example: '30' }),
  ignoreCertificateErrors: toggle('load pages with invalid certificates'),
};

/** Returns the lease terms of the flags. */
export function loadTerms(flags: {
  readonly loadSeconds?: number | undefined;
  readonly ignoreCertificateErrors: boolean;
}) {
  const { loadSeconds, ignoreCertificateErrors } = flags;
  return { ignoreCertificateErrors, ...(loadSeconds !== undefined && { loadMs: loadSeconds * 1_000 }) };
}
