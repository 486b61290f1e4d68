/**
 * The channel on which every process hears that a key pair must be read anew. The payload is the
 * API-Key.
 */
export const keyPairChannel = 'key_pair_changed';
