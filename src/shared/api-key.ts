/** The form of an API-Key: which environment, and 22 characters that are 128 random bits. */
export const apiKeyForm = /^cpk_(production|test)_[0-9A-Za-z]{22}$/;
