/** A place of objects by their keys, such as a bucket of S3. Keys are paths with `/`, below whatever the store stands for. */
export interface ObjectStore {
  /** All objects whose keys begin so, in any order. @throws GyreError */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @throws GyreError `corrupt` for one that is not there; as `list` does. */
  get(key: string): Promise<Uint8Array>;
  /** Whole or not at all. @throws GyreError as `list` does. */
  put(key: string, bytes: Uint8Array): Promise<void>;
}

export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
}
