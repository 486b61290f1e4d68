import { createHmac } from 'node:crypto';

import type { StatedAccount } from '../reading/read-file';

/** Removes leading zeros, because some formats fill a number with zeros. */
const plain = (accountNumber: string): string =>
  /^\d+$/.test(accountNumber) ? accountNumber.replace(/^0+(?=\d)/, '') : accountNumber;

/** The normalized form, and the form as written, which identified the accounts of earlier files. */
const formsOf = (accountNumber: string): string[] => [
  ...new Set([accountNumber.replace(/\s/g, '').toUpperCase(), accountNumber].map(plain)),
];

/** The HMACs of each form of an account, under each pepper. The first is for a new account. */
export const accountHmacs = (
  peppers: readonly Buffer[],
  { accountNumber }: Pick<StatedAccount, 'accountNumber'>,
  { account }: { account: string | undefined },
): Buffer[] => {
  const identities =
    account === undefined
      ? formsOf(accountNumber ?? '').map((form) => `account number ${form}`)
      : [...new Set([account.normalize('NFKC').toLowerCase(), account])].map(
          (name) => `account name ${name}`,
        );
  return peppers.flatMap((pepper) =>
    identities.map((identity) => createHmac('sha256', pepper).update(identity).digest()),
  );
};
