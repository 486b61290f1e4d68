import { europeanLayouts } from './csv-layouts-europe';
import { csvDelimiters, type CsvLayout } from './csv-mapping';

const american = { decimal: '.', delimiter: ',' } as const;

const banks: readonly CsvLayout[] = [
  {
    name: 'chase_checking',
    title: 'Chase, checking account',
    header: ['Details', 'Posting Date', 'Description', 'Amount', 'Type', 'Balance', 'Check or Slip #'],
    mapping: {
      ...american,
      date: 'Posting Date',
      date_format: 'MM/DD/YYYY',
      amount: 'Amount',
      texts: ['Description'],
    },
  },
  {
    name: 'chase_card',
    title: 'Chase, card',
    header: ['Transaction Date', 'Post Date', 'Description', 'Category', 'Type', 'Amount', 'Memo'],
    mapping: {
      ...american,
      date: 'Post Date',
      date_format: 'MM/DD/YYYY',
      amount: 'Amount',
      texts: ['Description', 'Memo'],
    },
  },
  {
    name: 'bank_of_america',
    title: 'Bank of America',
    header: ['Date', 'Description', 'Amount', 'Running Bal.'],
    mapping: {
      ...american,
      date: 'Date',
      date_format: 'MM/DD/YYYY',
      amount: 'Amount',
      texts: ['Description'],
    },
  },
  {
    name: 'wells_fargo',
    title: 'Wells Fargo, without a header',
    cells: [/^\d\d?\/\d\d?\/\d{4}$/, /^-?[\d,]+\.\d\d$/, /^\*?$/, /^\d*$/, /\S/],
    mapping: {
      ...american,
      header_line: 0,
      date: 1,
      date_format: 'MM/DD/YYYY',
      amount: 2,
      texts: [5],
    },
  },
  {
    name: 'capital_one',
    title: 'Capital One, checking or savings account',
    header: [
      'Account Number',
      'Transaction Description',
      'Transaction Date',
      'Transaction Type',
      'Transaction Amount',
    ],
    mapping: {
      ...american,
      date: 'Transaction Date',
      date_format: 'MM/DD/YY',
      amount: 'Transaction Amount',
      direction: { column: 'Transaction Type', credit: ['Credit'], debit: ['Debit'] },
      texts: ['Transaction Description'],
    },
  },
  {
    name: 'citi',
    title: 'Citi',
    header: ['Status', 'Date', 'Description', 'Debit', 'Credit'],
    mapping: {
      ...american,
      date: 'Date',
      date_format: 'MM/DD/YYYY',
      credit: 'Credit',
      debit: 'Debit',
      negative: ['credit'],
      status: { column: 'Status', booked: ['Cleared'] },
      texts: ['Description'],
    },
  },
  {
    name: 'mercury',
    title: 'Mercury',
    header: ['Date (UTC)', 'Description', 'Amount', 'Status', 'Bank Description', 'Reference'],
    mapping: {
      ...american,
      date: 'Date (UTC)',
      date_format: 'MM-DD-YYYY',
      amount: 'Amount',
      status: { column: 'Status', booked: ['Sent'] },
      texts: ['Bank Description', 'Description', 'Reference', 'Note'],
    },
  },
];

const services: readonly CsvLayout[] = [
  {
    name: 'stripe_payouts',
    title: 'Stripe, payout reconciliation: the payments of each payout',
    header: [
      ...['automatic_payout_id', 'automatic_payout_effective_at_utc', 'balance_transaction_id'],
      ...['currency', 'gross', 'fee', 'net', 'description'],
    ],
    mapping: {
      ...american,
      date: 'automatic_payout_effective_at_utc',
      date_format: 'YYYY-MM-DD',
      amount: 'net',
      fee: { column: 'fee', is_deducted: true },
      currency: 'currency',
      bank_reference: 'balance_transaction_id',
      texts: ['description'],
    },
  },
  {
    name: 'stripe_balance',
    title: 'Stripe, balance',
    header: ['balance_transaction_id', 'created_utc', 'currency', 'gross', 'fee', 'net', 'description'],
    mapping: {
      ...american,
      date: 'created_utc',
      date_format: 'YYYY-MM-DD',
      amount: 'net',
      fee: { column: 'fee', is_deducted: true },
      currency: 'currency',
      bank_reference: 'balance_transaction_id',
      texts: ['description'],
    },
  },
  {
    name: 'stripe_balance_history',
    title: 'Stripe, balance history',
    header: ['id', 'Type', 'Source', 'Amount', 'Fee', 'Net', 'Currency', 'Created (UTC)', 'Description'],
    mapping: {
      ...american,
      date: 'Created (UTC)',
      date_format: 'YYYY-MM-DD',
      amount: 'Net',
      fee: { column: 'Fee', is_deducted: true },
      currency: 'Currency',
      bank_reference: 'id',
      code: 'Type',
      texts: ['Description'],
    },
  },
  {
    name: 'paypal',
    title: 'PayPal, activity in English (US)',
    header: ['Date', 'Time', 'TimeZone', 'Status', 'Currency', 'Gross', 'Fee', 'Net', 'Transaction ID'],
    mapping: {
      ...american,
      date: 'Date',
      date_format: 'MM/DD/YYYY',
      amount: 'Net',
      fee: { column: 'Fee', is_deducted: true, is_negative: true },
      status: { column: 'Status', booked: ['Completed'] },
      currency: 'Currency',
      bank_reference: 'Transaction ID',
      texts: ['Invoice Number', 'Custom Number', 'Item Title', 'Subject', 'Note'],
    },
  },
  {
    name: 'wise',
    title: 'Wise',
    header: ['TransferWise ID', 'Date', 'Amount', 'Currency', 'Description', 'Payment Reference'],
    mapping: {
      ...american,
      date: 'Date',
      date_format: 'DD-MM-YYYY',
      amount: 'Amount',
      currency: 'Currency',
      bank_reference: 'TransferWise ID',
      texts: ['Payment Reference', 'Description'],
    },
  },
  {
    name: 'revolut_personal',
    title: 'Revolut, personal account',
    header: [
      'Type',
      'Product',
      'Started Date',
      'Completed Date',
      'Description',
      'Amount',
      'Fee',
      'Currency',
      'State',
    ],
    mapping: {
      ...american,
      date: 'Completed Date',
      date_format: 'YYYY-MM-DD',
      amount: 'Amount',
      fee: { column: 'Fee', is_deducted: false },
      status: { column: 'State', booked: ['COMPLETED'] },
      currency: 'Currency',
      texts: ['Description'],
    },
  },
  {
    name: 'revolut_business',
    title: 'Revolut, business account',
    header: ['Date completed (UTC)', 'ID', 'State', 'Reference', 'Payment currency', 'Amount', 'Fee'],
    mapping: {
      ...american,
      date: 'Date completed (UTC)',
      date_format: 'YYYY-MM-DD',
      amount: 'Amount',
      fee: { column: 'Fee', is_deducted: false },
      status: { column: 'State', booked: ['COMPLETED'] },
      currency: 'Payment currency',
      bank_reference: 'ID',
      texts: ['Reference', 'Description'],
    },
  },
];

/** All layouts. `ignore` and texts that a header lacks are left out: see `layoutsFor`. */
export const csvLayouts: readonly CsvLayout[] = [...banks, ...services, ...europeanLayouts];

/**
 * The layouts that a header fits, the one with most of its names first. They are offers for a
 * person: several banks use the same names with other meanings.
 *
 * @param header the names of the header, or the cells of the first line
 */
export function layoutsFor(header: readonly string[]): CsvLayout[] {
  const names = new Set(header.map((name) => name.trim().toLowerCase()));
  const has = (name: string): boolean => names.has(name.toLowerCase());
  const fits = ({ header: own, cells }: CsvLayout): boolean =>
    own?.every(has) ?? cells?.every((cell, at) => cell.test(header[at]?.trim() ?? '')) ?? false;
  return csvLayouts
    .filter(fits)
    .sort((one, other) => (other.header?.length ?? 0) - (one.header?.length ?? 0))
    .map((layout) => {
      const texts = layout.mapping.texts.filter((text) => typeof text === 'number' || has(text));
      return { ...layout, mapping: { ...layout.mapping, texts } };
    });
}

const mostHeaderLines = 20;

/** The layouts that one of the first lines of a CSV file fits. */
export function layoutsOf(text: string): CsvLayout[] {
  const lines = text.split(/\r?\n/, mostHeaderLines);
  for (const delimiter of csvDelimiters) {
    for (const line of lines) {
      const found = layoutsFor(line.split(delimiter).map((cell) => cell.replace(/^"|"$/g, '')));
      if (found.length > 0) return found;
    }
  }
  return [];
}
