import { ServiceError } from '../shared/errors';
import type { EnvironmentKind, Principal, Scope } from '../shared/scopes';

/**
 * @throws ServiceError sandbox_only if the operation works in the other environment only,
 *   scope_missing if the key pair lacks the scope
 */
export function requireRights(
  { environmentKind, scopes }: Principal,
  { onlyIn, scope }: { readonly onlyIn?: EnvironmentKind; readonly scope: Scope | null },
): void {
  if (onlyIn !== undefined && environmentKind !== onlyIn) {
    throw new ServiceError('sandbox_only', {
      detail: `This operation works only in the ${onlyIn} environment. Use a key pair of that environment.`,
    });
  }
  if (scope !== null && !scopes.includes(scope)) {
    throw new ServiceError('scope_missing', {
      detail: `This key pair lacks the scope ${scope}. Use a pair that has it.`,
    });
  }
}
