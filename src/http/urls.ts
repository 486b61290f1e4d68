/** An absolute URL as it is, a path on this service under its public address. */
export function resolveUrl(publicBaseUrl: string, urlOrPath: string): string {
  return urlOrPath.startsWith('/') ? publicBaseUrl + urlOrPath : urlOrPath;
}
