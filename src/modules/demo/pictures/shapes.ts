import type { Palette } from './palette';
import type { Random } from './random';

export interface Scene {
  slug: string;
  colors: Palette;
  random: Random;
}

/** Draws about the point on the ground at the middle of the picture; up is negative. */
export type Motif = (scene: Scene) => string;

export const rect = (x: number, y: number, w: number, h: number, fill: string, radius = 0): string =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}"${radius ? ` rx="${radius}"` : ''} fill="${fill}"/>`;

export const circle = (x: number, y: number, r: number, fill: string, opacity = 1): string =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"${opacity < 1 ? ` opacity="${opacity}"` : ''}/>`;

export const ellipse = (x: number, y: number, rx: number, ry: number, fill: string, opacity = 1): string =>
  `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"${opacity < 1 ? ` opacity="${opacity}"` : ''}/>`;

export const path = (d: string, fill: string, opacity = 1): string =>
  `<path d="${d}" fill="${fill}"${opacity < 1 ? ` opacity="${opacity}"` : ''}/>`;

export const line = (d: string, stroke: string, width: number): string =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;

export function place(content: string, x: number, y: number, scale = 1, rotate = 0): string {
  const turn = rotate ? ` rotate(${rotate})` : '';
  const size = scale === 1 ? '' : ` scale(${scale})`;
  return `<g transform="translate(${x} ${y})${turn}${size}">${content}</g>`;
}

/** A row of dots, each `size` wide, at every `gap` of the path. */
export const dots = (d: string, fill: string, size: number, gap: number): string =>
  line(d, fill, size).replace('/>', ` stroke-dasharray="0 ${gap}"/>`);

/** A row of blocks along the path, `height` high. */
export const dashes = (d: string, fill: string, height: number, pattern: string): string =>
  `<path d="${d}" stroke="${fill}" stroke-width="${height}" stroke-dasharray="${pattern}"/>`;

/** Panes of one size, each from its upper left corner. */
export const panes = (corners: readonly string[], w: number, h: number, fill: string): string =>
  path(corners.map((corner) => `M${corner}h${w}v${h}h-${w}z`).join(''), fill);

/** The drawing that the words of the slug ask for, else any. */
export const oneOf =
  (...drawings: [[Motif, RegExp], ...[Motif, RegExp][]]): Motif =>
  (scene) =>
    (drawings.find(([, words]) => words.test(scene.slug)) ?? scene.random.pick(drawings))[0](scene);

/** Draws `count` times, left to right. */
export function repeat(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('');
}

/** The soft shadow that sets a thing on the ground. */
export const shadow = (halfWidth: number, color: string): string => ellipse(0, 2, halfWidth, 11, color, 0.18);

/** Water over the whole width, from y down to the bottom of the picture. */
export const waves = (y: number, height: number, fill: string, start = 0): string =>
  path(`M${-400 - start} ${y}q40-${height} 80 0${'t80 0'.repeat(10)}V90H-400z`, fill);

export const drop = (fill: string, shine: string): string =>
  path('M0-90C30-45 55-15 55 20A55 55 0 0 1-55 20C-55-15-30-45 0-90z', fill) +
  line('M-32 22A33 33 0 0 0-8 52', shine, 9);

export const cross = (size: number, fill: string): string => {
  const arm = size / 3;
  return rect(-arm / 2, -size / 2, arm, size, fill, 3) + rect(-size / 2, -arm / 2, size, arm, fill, 3);
};
