import { animals } from './motifs-animals';
import { emergency, health } from './motifs-care';
import { children } from './motifs-children';
import { culture } from './motifs-culture';
import { food } from './motifs-food';
import { education, technology } from './motifs-learning';
import { environment, waterMotif } from './motifs-nature';
import { hills, housing } from './motifs-places';
import { livelihoods } from './motifs-work';
import { palettes } from './palette';
import { createRandom } from './random';
import { drawBackdrop, drawMeadow, drawSides } from './scenery';
import { type Motif, place, type Scene } from './shapes';

const motifs: ReadonlyMap<string, Motif> = new Map([
  ['education', education],
  ['health', health],
  ['water', waterMotif],
  ['food', food],
  ['environment', environment],
  ['animals', animals],
  ['emergency', emergency],
  ['housing', housing],
  ['culture', culture],
  ['livelihoods', livelihoods],
  ['children', children],
  ['technology', technology],
]);

/** "clean-water-for-kisumu" is "Clean water for kisumu", safe inside an element. */
function titleOf(slug: string): string {
  const words = slug.replace(/[\p{Cc}\uFFFE\uFFFF-]+/gu, ' ').trim();
  const title = words.slice(0, 80).toWellFormed();
  return (title.charAt(0).toUpperCase() + title.slice(1))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/**
 * The picture of a demo project: an SVG of 640 × 400, at most 6 KB, that needs nothing from elsewhere and keeps to a
 * strict content security policy (no script, style or link). The category says what is drawn, the slug how: the same
 * slug always gives the same picture. A category that is not known gives a landscape.
 */
export function drawDemoPicture(slug: string, category: string): string {
  const random = createRandom(slug);
  const scene: Scene = { slug, colors: random.pick(palettes), random };
  const motif = motifs.get(category) ?? hills;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" width="640" height="400" role="img">' +
    `<title>${titleOf(slug)}</title>` +
    drawBackdrop(scene) +
    drawSides(scene) +
    drawMeadow(scene) +
    place(motif(scene), 320, 325) +
    '</svg>\n'
  );
}
