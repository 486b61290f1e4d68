import type { EndpointContract } from '../../http/contract';
import { createSchemas, shapeOf } from '../../http/openapi/schemas';
import { idPattern } from '../../http/request/fields';
import { parseTransactionId } from '../../shared/transaction-id';
import { isUuid } from '../../shared/uuid';

/** Whether a value, as text, has a form that a contract states. */
type Form = (text: string) => boolean;

/** The names of all parameters and members, with the forms of the values that are logged. */
export type LoggedForms = ReadonlyMap<string, ReadonlySet<Form>>;

/** Members with personal data. Their values are not logged, and removed from other texts. */
export const personalMembers: readonly string[] = ['user_hash', 'name', 'bank_reference'];

const matches =
  (pattern: RegExp): Form =>
  (text) =>
    pattern.test(text);
const digits = matches(/^\d{1,18}$/);
const time = matches(/^\d{4}-\d\d-\d\d(T[\d:.]{5,20}Z)?$/);

/** The forms of fields that their schemas call text. */
const formsOfText: Readonly<Record<string, Form>> = {
  code: matches(/^([A-Z]\d\d|[A-Z]{2}\d\d)$/),
  // A currency that the service does not support is logged, too.
  currency: matches(/^[A-Z]{3}$/),
  transaction_id: (text) => parseTransactionId(text) !== undefined,
};

type Schema = ReturnType<ReturnType<typeof createSchemas>['of']>;

/** The form of numbers, choices, times and ids. Other text may be personal, so it has none. */
function formOf({ type, format, pattern, enum: choices, const: only }: Schema): Form | undefined {
  const types = [type].flat();
  if (types.includes('integer') || pattern === idPattern) return digits;
  if (types.includes('number')) return matches(/^[-+]?[\d.,]{1,20}$/);
  if (types.includes('boolean')) return matches(/^(true|false)$/);
  if (only !== undefined) return (text) => text === only;
  if (Array.isArray(choices)) return (text) => choices.includes(text);
  if (format === 'uuid') return isUuid;
  return format === 'date' || format === 'date-time' ? time : undefined;
}

/** Reads the forms of the parameters and members of these operations. */
export function listForms(contracts: readonly EndpointContract[]): LoggedForms {
  const schemas = createSchemas();
  const forms = new Map<string, Set<Form>>();
  for (const { params, query, body } of contracts) {
    for (const input of [params, query, body?.schema]) {
      for (const [name, field] of input ? shapeOf(input) : []) {
        const formsOfName = forms.get(name) ?? new Set();
        forms.set(name, formsOfName);
        const form = formsOfText[name] ?? formOf(schemas.of(field, 'input'));
        if (form && !personalMembers.includes(name)) formsOfName.add(form);
      }
    }
  }
  return forms;
}

/** Whether a value, as text, has one of the forms of its name. */
export const hasForm = (forms: ReadonlySet<Form> | undefined, text: string): boolean =>
  [...(forms ?? [])].some((form) => form(text));
