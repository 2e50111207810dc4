/** Keys are relative paths with `/`, as in an S3 bucket. */
export interface ObjectStore {
  /** Lists in any order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @throws GyreError `corrupt` for a missing object */
  get(key: string): Promise<Uint8Array>;
  /** Writes atomically. */
  put(key: string, bytes: Uint8Array): Promise<void>;
}

export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
}
