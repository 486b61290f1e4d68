import { recordedField, refuse, uuidField } from '../../http/request/fields';

/** The ways in which money goes back. */
export const returnKinds = ['return', 'reversal', 'chargeback', 'refund', 'recall'] as const;

export type ReturnKind = (typeof returnKinds)[number];

/** The reasons why a return is undone. */
export const undoReasons = ['dishonored', 'chargeback_won', 'paid_again'] as const;

export type UndoReason = (typeof undoReasons)[number];

const longestCode = 35;
const printableAscii = /^[\x20-\x7e]*$/;
/** NACHA's notifications of change: C01 to C99. They correct data and move no money. */
const notificationOfChange = /^C\d\d$/i;

/** The payment scheme's code of a return, stored unchanged. */
export const returnCode = recordedField(
  {
    type: 'string',
    maxLength: longestCode,
    description:
      "The payment scheme's code, such as R01 or AC04. The service stores it and does not interpret it. C01 to C99 are rejected: they are notifications of change and move no money.",
    examples: ['R01'],
  },
  (value) => {
    if (typeof value !== 'string') return refuse('invalid_type', 'Send a string.');
    if (value.length > longestCode)
      return refuse('invalid_length', `Send at most ${longestCode} characters.`);
    if (!printableAscii.test(value)) return refuse('invalid_format', 'Send printable ASCII characters only.');
    if (notificationOfChange.test(value)) {
      return refuse(
        'unsupported_value',
        'This is a notification of change. No money moved, so do not record a return.',
      );
    }
    return value;
  },
);

/** return_id in a path. */
export const returnIdInPath = uuidField(
  'The return_id of the return',
  '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
);
