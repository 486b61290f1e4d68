/**
 * The condition that selects a company by its name or its company_id.
 *
 * @param row of the table companies
 * @param value the parameter, such as $1
 */
export const isCompany = (row: string, value: string): string =>
  `(company_name_skeleton(${row}.name) = company_name_skeleton(${value}::text)
     OR ${row}.company_id::text = lower(${value}::text))`;
