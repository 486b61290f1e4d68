import { type Markup, markup } from '../../shared/markup';

type Cell = Markup | string | number;

/** A column: its name, and its markup if that is more than the name. */
export interface Column {
  name: string;
  head?: Markup;
  /** Whether its cells are so short that several fit in one line of a card. */
  isShort?: boolean;
}

/**
 * A table whose rows become cards on a phone: the first cell is the title of the card, and every
 * other cell shows the name of its column. The roles stay when the stylesheet changes the display.
 */
export function renderTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Markup {
  const cell = (content: Cell, index: number): Markup => {
    const { name, isShort = false } = columns[index] as Column;
    const label = index === 0 ? undefined : markup` data-label="${name}"`;
    return markup`<td role="cell"${label}${isShort ? markup` class="short"` : undefined}>${content}</td>`;
  };
  return markup`<div class="table"><table role="table"><thead role="rowgroup"><tr role="row">${columns.map(
    ({ name, head }) => markup`<th scope="col" role="columnheader">${head ?? name}</th>`,
  )}</tr></thead><tbody role="rowgroup">${rows.map(
    (cells) => markup`<tr role="row">${cells.map(cell)}</tr>`,
  )}</tbody></table></div>
`;
}
