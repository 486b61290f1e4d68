import { changedNames, type Definitions, type RunQuery, readDefinitions } from './definitions';
import { functionOf, type SchemaFile } from './schema-files';

/** The last time that a file was applied to a database. */
export interface Applied {
  sha256: string;
  definitions: Definitions;
  /** The digests of all texts of the file that were ever applied. */
  texts: string[];
}

/** Reads the last time for each file, by the name of its function: a file can move. */
export async function readLastApplied(runQuery: RunQuery): Promise<Map<string, Applied>> {
  const rows = await runQuery<Applied & { name: string }>(
    `WITH applied AS (
       SELECT regexp_replace(file, '^.*/|[.]sql$', '', 'g') AS name, number, encode(sha256, 'hex') AS sha256, definitions
         FROM public.schema_functions
     )
     SELECT DISTINCT ON (a.name) a.name, a.sha256, a.definitions,
            ARRAY(SELECT t.sha256 FROM applied t WHERE t.name = a.name) AS texts
       FROM applied a ORDER BY a.name, a.number DESC`,
    [],
  );
  return new Map(rows.map(({ name, ...applied }) => [name, applied]));
}

/** A file that has to be applied, and why. */
export interface Due {
  file: SchemaFile;
  reason: string;
  /** Whether somebody changed in the database what the file defines. */
  isAltered?: boolean;
  /** What the database has of the file. */
  definitions: Definitions;
}

/**
 * The files that differ from the database: their text is not the one that was applied last, or
 * somebody changed in the database what they define.
 */
export async function findDue(runQuery: RunQuery, files: readonly SchemaFile[]): Promise<Due[]> {
  const last = await readLastApplied(runQuery);
  const definitions = await readDefinitions(runQuery, files);
  return files.flatMap((file) => {
    const before = last.get(functionOf(file));
    const now = definitions.get(file.path) ?? {};
    if (before === undefined) return [{ file, reason: 'new', definitions: now }];
    const changed = changedNames(before.definitions, now);
    const reasons = [
      ...(before.sha256 === file.sha256
        ? []
        : [
            before.texts.includes(file.sha256) ? 'another version has replaced its text' : 'its text changed',
          ]),
      ...(changed.length === 0 ? [] : [`changed in the database: ${changed.join(', ')}`]),
    ];
    if (reasons.length === 0) return [];
    return [{ file, reason: reasons.join('; '), isAltered: changed.length > 0, definitions: now }];
  });
}
