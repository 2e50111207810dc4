import { FolderStore, type ObjectStore, S3Store } from '@gyre/lake';
import { optionalWord } from './flag.js';

export const isUrl = (store: string): boolean => store.includes(':/');

export const s3Flags = {
  endpoint: optionalWord('endpoint of an S3-compatible service (default: AWS_ENDPOINT_URL)', {
    example: 'http://127.0.0.1:9000',
  }),
  region: optionalWord('region of the bucket (default: AWS_REGION or us-east-1)', { example: 'eu-west-1' }),
};

interface S3Choice {
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

/** @param store s3://BUCKET/PREFIX, or a folder */
export const openStore = (store: string, { endpoint, region }: S3Choice): ObjectStore =>
  isUrl(store) ? new S3Store({ url: store, endpoint, region }) : new FolderStore(store);

/** Opens a store that others share. Throws `bad_input` or `infra` if it is not there. */
export async function openSharedStore(store: string, choice: S3Choice): Promise<ObjectStore> {
  const opened = openStore(store, choice);
  for await (const _ of opened.list('weights/')) break;
  return opened;
}
