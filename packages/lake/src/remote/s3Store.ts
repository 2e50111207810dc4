import type * as Sdk from '@aws-sdk/client-s3';
import { GyreError } from '@gyre/protocol';
import type { ObjectStore, StoredObject } from './objectStore.js';

export interface S3Options {
  /** `s3://BUCKET` or `s3://BUCKET/PREFIX`. */
  readonly url: string;
  /** Default `AWS_ENDPOINT_URL`, else Amazon's. */
  readonly endpoint?: string | undefined;
  /** Default `AWS_REGION`, else `us-east-1`. */
  readonly region?: string | undefined;
  /** Default: the AWS SDK's. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * @throws GyreError `bad_input` for an invalid address, bucket or keys; `infra` if the service does not answer;
 * `missing` without the SDK
 */
export class S3Store implements ObjectStore {
  readonly #options: S3Options;

  readonly #bucket: string;
  readonly #prefix: string;
  #client: Promise<{ s3: Sdk.S3Client; sdk: typeof Sdk }> | undefined;

  constructor(options: S3Options) {
    this.#options = options;

    const { bucket, prefix } = addressOf(options.url);
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const { s3, sdk } = await this.#connect();
    let next: string | undefined;
    do {
      const page = await this.#translated(() =>
        s3.send(
          new sdk.ListObjectsV2Command({
            ...{ Bucket: this.#bucket, Prefix: this.#prefix + prefix },
            ...(next !== undefined && { ContinuationToken: next }),
          }),
        ),
      );
      for (const { Key, Size = 0 } of page.Contents ?? [])
        if (Key !== undefined) yield { key: Key.slice(this.#prefix.length), size: Size };
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (next !== undefined);
  }

  async get(key: string): Promise<Uint8Array> {
    const { s3, sdk } = await this.#connect();
    return this.#translated(async () => {
      const { Body } = await s3.send(new sdk.GetObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + key }));
      return (await Body?.transformToByteArray()) ?? new Uint8Array();
    }, key);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const { s3, sdk } = await this.#connect();
    await this.#translated(
      () => s3.send(new sdk.PutObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + key, Body: bytes })),
      key,
    );
  }

  #connect() {
    return (this.#client ??= import('@aws-sdk/client-s3').then(
      (sdk) => {
        const { endpoint, region, credentials } = this.#options;
        const config: Sdk.S3ClientConfig = {
          // Amazon puts the bucket into the host name, most other services into the path.
          ...(endpoint !== undefined && { endpoint }),
          forcePathStyle: endpoint !== undefined || process.env.AWS_ENDPOINT_URL !== undefined,
          region: region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1',
          ...(credentials && { credentials }),
          maxAttempts: 5,
          // Older services lack these checksums.
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        };
        return { s3: new sdk.S3Client(config), sdk };
      },
      (cause: unknown) => {
        throw new GyreError('missing', 'cannot load the SDK for S3', {
          field: '@aws-sdk/client-s3',
          fix: 'run npm install @aws-sdk/client-s3',
          cause,
        });
      },
    ));
  }

  async #translated<T>(send: () => Promise<T>, key?: string): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw this.#errorOf(error, key);
    }
  }

  #errorOf(cause: unknown, key: string | undefined): GyreError {
    const { name, message, $metadata } = cause as Error & { $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    const where = `${this.#options.url}${this.#options.endpoint === undefined ? '' : ` at ${this.#options.endpoint}`}`;
    const bad = (field: string, text: string, fix: string) => new GyreError('bad_input', text, { field, fix, cause });
    if (name === 'NoSuchBucket')
      return bad('url', `bucket ${this.#bucket} does not exist`, 'create it, or use an existing bucket');
    if (name === 'NoSuchKey' || (status === 404 && key !== undefined)) {
      const fix = 'list the store again: the object was removed';
      return new GyreError('corrupt', `${key ?? 'the object'} is not in ${where}`, { field: key ?? 'url', fix, cause });
    }
    if (name === 'CredentialsProviderError' || /credential/i.test(message)) {
      const fix = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE';
      return bad('AWS_ACCESS_KEY_ID', `no credentials are set for ${where}`, fix);
    }
    if (status === 401 || status === 403) {
      const fix = 'check the credentials; they need permission to list, read and write this bucket';
      return bad('AWS_ACCESS_KEY_ID', `${where} refused the request: ${name}: ${message}`, fix);
    }
    if (status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429) {
      return bad('url', `${where} refused the request: ${name}: ${message}`, "check the service's log");
    }
    return new GyreError('infra', `${where} does not answer: ${name}: ${message}`, {
      part: 'network',
      field: 'endpoint',
      fix: 'check that it is running and reachable; files already copied are kept',
      cause,
    });
  }
}

function addressOf(url: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(url) ?? [];
  if (bucket === undefined) {
    throw new GyreError('bad_input', `"${url}" is not the URL of a bucket`, {
      field: 'url',
      fix: 'use a URL such as s3://my-bucket/lakes/first',
    });
  }
  const prefix = path.replace(/\/+$/, '');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}
