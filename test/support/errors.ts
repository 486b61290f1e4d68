import { listErrors } from '../../src/contracts';
import { codesOf } from '../../src/http/errors/error-catalog';

/** The errors of the whole service. */
export const errorCatalog = listErrors();
export const errorCodes = codesOf(errorCatalog);
