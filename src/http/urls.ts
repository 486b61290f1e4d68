/** Turns a path into a URL of this service. Returns an absolute URL unchanged. */
export function resolveUrl(publicBaseUrl: string, urlOrPath: string): string {
  return urlOrPath.startsWith('/') ? publicBaseUrl + urlOrPath : urlOrPath;
}

/**
 * Matches a contract's path with or without a trailing slash, as Express does, and captures the
 * parameters.
 */
export const pathPattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}/?$`);
