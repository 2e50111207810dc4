import { createHash } from 'node:crypto';

export function formBody(fields: Readonly<Record<string, string>>): { type: string; bytes: Uint8Array } {
  return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(new URLSearchParams(fields).toString()) };
}

/** Follows RFC 7578. */
export function fileBody(
  fields: Readonly<Record<string, string>>,
  file: { readonly field: string; readonly name: string; readonly content: Uint8Array },
): { type: string; bytes: Uint8Array } {
  // Derived from the content, so not contained in it.
  const boundary = `gyre-${createHash('sha256').update(file.content).update(JSON.stringify(fields)).digest('hex')}`;
  const disposition = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
  const parts = Object.entries(fields).map(([name, value]) => `${disposition(name)}\r\n\r\n${value}\r\n`);
  const opening = `${disposition(file.field)}; filename="${quoted(file.name)}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const bytes = Buffer.concat([
    Buffer.from(parts.join('') + opening),
    file.content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes };
}

/** Escapes as browsers do. */
function quoted(name: string): string {
  return name.replace(/"/g, '%22').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}
