/** An API-Key: the kind of its environment, then 22 characters that encode 128 random bits. */
export const apiKeyPattern = /^cpk_(production|test)_[0-9A-Za-z]{22}$/;
