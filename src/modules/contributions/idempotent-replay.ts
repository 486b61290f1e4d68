/** The header that tells a replayed response from a first one. */
export function replayHeader(isReplay: boolean): Record<string, string> {
  return isReplay ? { 'Idempotent-Replayed': 'true' } : {};
}
