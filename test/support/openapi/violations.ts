const violations: string[] = [];

export function addViolations(found: readonly string[]): void {
  violations.push(...found);
}

/** Returns and clears the violations found so far. */
export function takeViolations(): string[] {
  return violations.splice(0);
}
