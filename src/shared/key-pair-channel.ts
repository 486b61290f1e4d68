/** The channel that tells every process to read a key pair again. The payload is the API-Key. */
export const keyPairChannel = 'key_pair_changed';
