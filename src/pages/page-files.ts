import path from 'node:path';

/** A file that the pages load. */
export interface PageFile {
  name: string;
  contentType: string;
  path: string;
}

const font = (subset: string): string =>
  require.resolve(`@fontsource-variable/inter/files/inter-${subset}-wght-normal.woff2`);

/** The files that every page of the service can load: the stylesheet, the fonts and the sign. */
export const sharedPageFiles: readonly PageFile[] = [
  {
    name: 'base.css',
    contentType: 'text/css; charset=utf-8',
    path: path.join(__dirname, 'assets', 'base.css'),
  },
  { name: 'favicon.ico', contentType: 'image/x-icon', path: path.join(__dirname, 'assets', 'favicon.ico') },
  { name: 'icon.svg', contentType: 'image/svg+xml', path: path.join(__dirname, 'assets', 'icon.svg') },
  { name: 'inter-latin.woff2', contentType: 'font/woff2', path: font('latin') },
  { name: 'inter-latin-ext.woff2', contentType: 'font/woff2', path: font('latin-ext') },
];
