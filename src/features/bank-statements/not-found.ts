import { ServiceError } from '../../shared/errors';

export const fileNotFound = (): ServiceError =>
  new ServiceError('statement_not_found', {
    detail: 'Your environment has no uploaded file with this file_id.',
  });

export const accountNotFound = (): ServiceError =>
  new ServiceError('statement_account_not_found', {
    detail: 'Your environment has no statements of an account with this account_id.',
  });

export const entryNotFound = (): ServiceError =>
  new ServiceError('statement_entry_not_found', {
    detail: 'Your statements have no entry with this entry_id.',
  });
