/**
 * A condition, starting with AND: the company of the row's environment is not frozen. Deliveries of
 * a frozen company wait, and no metric counts them as late.
 */
export const isNotFrozen = (row: string): string => `
     AND ${row}.environment_id <> ALL (ARRAY(
       SELECT e.environment_id FROM environments e JOIN companies c ON c.company_id = e.company_id
        WHERE c.frozen_at IS NOT NULL AND e.retired_at IS NULL
     ))`;
