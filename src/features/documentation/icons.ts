import { type Markup, markup } from '../../shared/markup';

/** The sign beside the product's name. */
export const sign: Markup = markup`<svg class="sign" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="currentColor"/><circle cx="16" cy="16" r="7.5" stroke-width="3"/><circle cx="16" cy="16" r="1.5" stroke-width="2"/></svg>`;

const icon = (shape: Markup): Markup =>
  markup`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${shape}</svg>`;

export const menuIcon = icon(markup`<path d="M2 4h12M2 8h12M2 12h12"/>`);
export const searchIcon = icon(markup`<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>`);
export const listIcon = icon(markup`<path d="M6 4h8M6 8h8M6 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01"/>`);
