import { listContracts } from '../../src/contracts';
import { hasForm, listForms } from '../../src/features/sandbox/logged-forms';

const forms = listForms(listContracts({ minimumCents: 1n, maximumCents: 1_000_000n }));

const loggedNames = `
  account_id action after after_seconds amount bank basis by code company_id
  complete_coverage completed_at completed_from completed_to created_from created_to
  currency day delay_ms description direction dry_run endpoint_id entry_id event_id file_id
  from from_sequence grace_days highlights kind limit magic_amounts only open operation
  other_account_id outcome overlap_hours position project_id reason remember replay_id
  return_id seed seen settle_after_seconds state status story_id term times to to_sequence
  transaction_id type value_date wait
`;

// A new field with personal data, such as a date of birth, belongs to `personalMembers`.
test('only fields whose values identify no person are logged', () => {
  const found = [...forms].flatMap(([name, { size }]) => (size > 0 ? [name] : []));
  expect(found.sort()).toEqual(loggedNames.trim().split(/\s+/));
});

test.each<[string, boolean, string]>([
  ['project_id', true, '12'],
  ['project_id', false, 'a1b2'],
  ['story_id', true, '12'],
  ['amount', true, '-25,00'],
  ['amount', false, '25 EUR'],
  ['currency', true, 'EUR'],
  ['status', true, 'completed'],
  ['status', false, 'done'],
  ['magic_amounts', true, 'true'],
  ['highlights', true, '2'],
  ['company_id', true, '019AA1B2-8d4e-7f60-9a7b-8c9d0e1f2a3b'],
  ['company_id', false, '019aa1b2'],
  ['created_from', true, '2026-01-01T00:00:00Z'],
  ['value_date', true, '2026-01-31'],
  ['value_date', false, '31.01.2026'],
  ['code', true, 'AC04'],
  ['code', false, 'Jane'],
  ['reason', true, 'dishonored'],
  ['reason', false, 'Jane did not pay'],
  ['kind', true, '503_before'],
  ['kind', true, 'bad_signature'],
  ['kind', true, 'chargeback'],
  ['transaction_id', false, 'K7Q20CR5M3V9XHH'],
  ['user_hash', false, '12'],
  ['name', false, '12'],
  ['bank_reference', false, '2026-01-31'],
  ['idempotency_key', false, '12'],
  ['url', false, 'https://example.com/jane'],
  ['constructor', false, 'x'],
])('%s is logged: %s (%s)', (name, isLogged, text) => {
  expect(hasForm(forms.get(name), text)).toBe(isLogged);
});
