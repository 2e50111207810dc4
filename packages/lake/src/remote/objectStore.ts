/** Stores objects by key, such as an S3 bucket. Keys are relative paths with `/`. */
export interface ObjectStore {
  /**
   * Lists the objects below a prefix, in any order.
   * @throws GyreError
   */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @throws GyreError `corrupt` for a missing object; otherwise as `list` */
  get(key: string): Promise<Uint8Array>;
  /**
   * Writes atomically.
   * @throws GyreError as `list`
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
}

export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
}
