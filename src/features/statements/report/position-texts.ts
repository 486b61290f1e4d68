import type { Position } from '../matching/position.field';

/** The meaning of each position, and advice on it. */
export const positionTexts: Readonly<Record<Position, readonly [meaning: string, advice: string]>> = {
  completed_by_another: ['another party completed it, so these accounts do not show its money', 'nothing'],
  returned_without_credit: [
    'money was returned, but no payment arrived',
    'upload the statement with the payment',
  ],
  waiting: ['pending, and no money arrived', 'nothing'],
  completed_without_money: [
    'completed, and the money never arrived',
    'find the transfer; if it was returned, record the return',
  ],
  unconfirmed: [
    'completed, but no statement covers the days on which the money is due',
    'upload the missing statements',
  ],
  returned: ['the money arrived and was returned', 'check that the return is recorded'],
  partially_returned: ['part of the money was returned', 'check that the return is recorded'],
  short: [
    'too little money arrived',
    'ask the bank whether it deducted charges, or decide accept_difference',
  ],
  duplicate: ['it was paid in full more than once', 'return the surplus'],
  over: ['too much money arrived', 'return the surplus, or decide accept_difference'],
  money_without_completion: ['the money arrived, but the contribution is pending', 'complete it'],
  matched: ['completed, and the full amount arrived', 'nothing'],
};
