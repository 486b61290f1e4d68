const ages = ['1 hour', '1 day', '10 days', '100 days'];

/**
 * Reads the latest rows of all tenants. It looks back further only while the page is not full, so
 * that few rows are sorted. Each step is one query that a cluster can run on all servers at
 * once. A cluster rejects an index lookup of the latest rows of each tenant.
 *
 * @param read reads the latest rows that are at most this old, as an interval; null: of any age
 * @param limit the number of rows of a full page
 */
export async function readLatest<Row>(
  read: (age: string | null) => Promise<Row[]>,
  limit: number,
): Promise<Row[]> {
  for (const age of ages) {
    const rows = await read(age);
    if (rows.length >= limit) return rows;
  }
  return read(null);
}
