/**
 * A part of the function `purge_retired_environment`: deletes some rows of the environment from a
 * table, and ends the call if there were any.
 *
 * @param key the columns of the primary key after environment_id
 */
export const deletionOf = (table: string, key: string): string => `
  DELETE FROM ${table} d
   WHERE d.environment_id = _environment_id AND (${key}) IN (
     SELECT ${key} FROM ${table} s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;
`;
