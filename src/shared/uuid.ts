const pattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is a UUID of any version, in any case. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);
