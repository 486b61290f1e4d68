/** Bodies that were compressed for somebody and are the same for the next one. */
export interface CompressedBodies {
  /** @param key says all about the content: a digest of it */
  find(key: string, compress: () => Promise<Buffer>): Promise<Buffer>;
}

/** @param capacityBytes how much is kept; the least recently asked for makes room */
export function createCompressedBodies(capacityBytes: number): CompressedBodies {
  const bodies = new Map<string, Buffer>();
  let bytes = 0;

  return {
    async find(key, compress) {
      const known = bodies.get(key);
      const body = known ?? (await compress());
      // Somebody else may have compressed the same meanwhile.
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
