import { z } from 'zod';

/**
 * The fields that responses show as they are stored, under the name of their column. Queries,
 * responses and the contract derive from this list.
 */
export const storedFields = {
  summary: z.string(),
  category: z.string().nullable(),
  country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2 code' }),
  organization: z.string().nullable(),
};

export type StoredFields = { [Name in keyof typeof storedFields]: z.output<(typeof storedFields)[Name]> };

export const storedNames = Object.keys(storedFields) as (keyof StoredFields)[];

/** Only the stored fields of a row. */
export const storedOf = (row: StoredFields): StoredFields =>
  Object.fromEntries(storedNames.map((name) => [name, row[name]])) as StoredFields;
