export interface Palette {
  sky: string;
  /** The brighter sky above the horizon. */
  glow: string;
  sun: string;
  far: string;
  mid: string;
  ground: string;
  /** The main colour of the motif, and two that go with it. */
  main: string;
  second: string;
  third: string;
  light: string;
  dark: string;
}

/** Colours that things have in any light. */
export const wood = '#a9744b';
export const darkWood = '#7d5235';
export const water = '#3f9fc9';
export const deepWater = '#2a7fae';
export const leaf = '#4f9d5d';
export const darkLeaf = '#367a4d';

function palette(colors: string): Palette {
  const [sky = '', glow = '', sun = '', far = '', mid = '', ground = '', ...motif] = colors.split(' ');
  const [main = '', second = '', third = '', light = '', dark = ''] = motif;
  return { sky, glow, sun, far, mid, ground, main, second, third, light, dark };
}

/** In the order of Palette: sky, glow, sun, far, mid, ground; main, second, third, light, dark. */
export const palettes: readonly [Palette, ...Palette[]] = [
  // Noon
  palette('#bfe3f2 #def2f8 #ffd25e #a9d6bd #7fbf95 #5aa377 #e2574c #f6b93b #2f6c9c #fffaf0 #24414f'),
  // Peach morning
  palette('#fcdcc0 #fdeeda #f79a52 #e7bfa0 #a9bd8d #7a9f74 #c8473f #f2b441 #2c7a7b #fff8ec #3a3340'),
  // Savannah
  palette('#fbe3ac #fdf1d0 #f2793d #e8c07c #d19f5c #b98347 #b5402f #f8d266 #1f7a74 #fff8e6 #45302a'),
  // Teal bay
  palette('#b5e2dc #d9f2ec #ffcf70 #8fcac4 #64b0a8 #3f8f89 #f0704f #ffc857 #2d5d86 #fdfbf3 #1f3f47'),
  // Lavender dusk
  palette('#cfc7ec #ebdcf0 #ff9e7a #b0a4d6 #8f86c0 #6f6aa6 #e3567a #fbc15e #3f4c8c #fdf7ff #2d2a4f'),
  // Rose
  palette('#f8d3d4 #fdebe6 #f4815f #ecbdbb #d09ba0 #a3737f #b63d5c #f3b24c #36688d #fff7f2 #40303f'),
  // Spring
  palette('#d3edf5 #f0f8dd #ffdb6b #c8e29a #9ccb6b #76ae4f #e2622f #ffc94d #35739b #fffdf2 #2b4a3a'),
  // Clear evening
  palette('#8fb8de #f6d9c4 #ffbf66 #86a5c7 #66899f #4d7180 #e05a47 #f9c05a #2c5a7f #fff6ea #203449'),
];
