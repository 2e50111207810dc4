import { optionalPositive, toggle } from './flag.js';

export const loadFlags = {
  loadSeconds: optionalPositive('seconds to wait for a page to load (default: 10)', { example: '30' }),
  ignoreCertificateErrors: toggle('load pages with invalid certificates'),
};

export function loadTerms(flags: {
  readonly loadSeconds?: number | undefined;
  readonly ignoreCertificateErrors: boolean;
}) {
  const { loadSeconds, ignoreCertificateErrors } = flags;
  return { ignoreCertificateErrors, ...(loadSeconds !== undefined && { loadMs: loadSeconds * 1_000 }) };
}
