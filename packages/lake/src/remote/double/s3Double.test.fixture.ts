import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const credentials = { accessKeyId: 'DOUBLE', secretAccessKey: 'secret' };

/** Serves ListObjectsV2, GetObject and PutObject in pages of three. It checks the access key but not the signature. */
export class S3Double {
  readonly objects = new Map<string, Buffer>();
  /** Such as `PUT blobs/a.png`. */
  readonly requests: string[] = [];
  readonly failures: { status: number; code: string }[] = [];
  endpoint = '';

  static async start(): Promise<S3Double> {
    const double = new S3Double();
    const server = createServer((request, response) => void double.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    double.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return double;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.endpoint);
    const [, bucket = '', ...path] = url.pathname.split('/').map(decodeURIComponent);
    const key = path.join('/');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.requests.push(`${request.method ?? ''} ${key}`);
    const fail = (status: number, code: string) =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    const failure = this.failures.shift();
    if (failure) return void fail(failure.status, failure.code);
    if (!request.headers.authorization?.includes(`Credential=${credentials.accessKeyId}/`))
      return void fail(403, 'InvalidAccessKeyId');
    if (bucket !== 'lakes') return void fail(404, 'NoSuchBucket');
    if (request.method === 'PUT') {
      this.objects.set(key, Buffer.concat(chunks));
      return void response.writeHead(200, { etag: '"x"' }).end();
    }
    if (key === '') return void response.writeHead(200, { 'content-type': 'application/xml' }).end(this.#page(url));
    const object = this.objects.get(key);
    if (!object) return void fail(404, 'NoSuchKey');
    response.writeHead(200, { 'content-length': object.length }).end(object);
  }

  #page({ searchParams }: URL): string {
    const prefix = searchParams.get('prefix') ?? '';
    const after = searchParams.get('continuation-token') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const some = keys.slice(0, 3);
    const more = keys.length > some.length;
    const contents = some.map(
      (key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length ?? 0}</Size></Contents>`,
    );
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>lakes</Name><IsTruncated>${String(more)}</IsTruncated>${more ? `<NextContinuationToken>${some.at(-1) ?? ''}</NextContinuationToken>` : ''}${contents.join('')}</ListBucketResult>`;
  }
}
