/** The header that marks a replayed response. */
export function replayHeader(isReplay: boolean): Record<string, string> {
  return isReplay ? { 'Idempotent-Replayed': 'true' } : {};
}
