/** Compressed bodies, so that the same content is not compressed for each client. */
export interface CompressionCache {
  /** @param key identifies the content and its encoding */
  find(key: string, compress: () => Promise<Buffer>): Promise<Buffer>;
}

/** @param capacityBytes maximum size; the least recently used body is evicted first */
export function createCompressionCache(capacityBytes: number): CompressionCache {
  const bodies = new Map<string, Buffer>();
  let bytes = 0;

  return {
    async find(key, compress) {
      const known = bodies.get(key);
      const body = known ?? (await compress());
      // A concurrent call may have added the same body.
      bytes += body.length - (bodies.get(key)?.length ?? 0);
      bodies.delete(key);
      bodies.set(key, body);
      for (const [oldest, { length }] of bodies) {
        if (bytes <= capacityBytes) break;
        bodies.delete(oldest);
        bytes -= length;
      }
      return body;
    },
  };
}
