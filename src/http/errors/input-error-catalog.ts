import type { InputErrorCode } from '../../shared/errors';

/** The meaning of each code in `errors`. The compiler reports a code without an entry. */
export const inputErrorMeanings: Readonly<Record<InputErrorCode, string>> = {
  required: 'The value is missing. Send it.',
  invalid_type: 'The value has the wrong JSON type, such as a number instead of a string.',
  invalid_format: 'The type is correct, but the format is not. `detail` states the expected format.',
  invalid_length: 'The value is empty or too long.',
  out_of_range: 'The number or amount is outside the range that `detail` states.',
  unsupported_value: 'The value is not one of the accepted values.',
  duplicate:
    'The same name occurs more than once. JSON escapes are decoded before names are compared. Send each name once.',
  unknown_parameter:
    'The operation does not have this parameter. Some operations reject unknown parameters, because a mistyped filter would return too many rows.',
  file_not_allowed: 'The form contains a file. Send text fields only.',
  not_found: 'The value refers to something that does not exist.',
};
