import { ServiceError } from '../shared/errors';
import type { EnvironmentKind, Principal, Scope } from '../shared/scopes';

/** @throws ServiceError sandbox_only if the operation works in the other environment only */
export function requireEnvironment(
  { environmentKind }: Principal,
  onlyIn: EnvironmentKind | undefined,
): void {
  if (onlyIn === undefined || environmentKind === onlyIn) return;
  throw new ServiceError('sandbox_only', {
    detail: `This operation works only in the ${onlyIn} environment. Use a key pair of that environment.`,
  });
}

/** @throws ServiceError scope_missing if the key pair lacks the scope */
export function requireScope(principal: Principal, scope: Scope | null): void {
  if (scope === null || principal.scopes.includes(scope)) return;
  throw new ServiceError('scope_missing', {
    detail: `This key pair lacks the scope ${scope}. Use a pair that has it.`,
  });
}
