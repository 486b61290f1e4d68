import { listScopes } from '../../src/contracts';

/** The scopes of the whole service. */
export const { all: scopes, ofKind: scopesOfKind, byDefault: defaultScopes, for: scopesFor } = listScopes();
