/** An absolute URL as it is, a path on this service under its public address. */
export function resolveUrl(publicBaseUrl: string, urlOrPath: string): string {
  return urlOrPath.startsWith('/') ? publicBaseUrl + urlOrPath : urlOrPath;
}

/** Fits what Express takes for this path of a contract: with or without a slash at its end. */
export const pathPattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`);
