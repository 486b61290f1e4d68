import * as animals from './animals';
import * as children from './children';
import * as culture from './culture';
import type { DemoProject } from './demo-project';
import * as education from './education';
import * as emergency from './emergency';
import * as environment from './environment';
import * as food from './food';
import * as health from './health';
import * as housing from './housing';
import * as livelihoods from './livelihoods';
import * as technology from './technology';
import * as water from './water';

export type { DemoProject };

/**
 * In editorial order: a mixture first. The demo's users support the first six, so these have
 * stories.
 */
export const demoProjects: readonly DemoProject[] = [
  water.cleanWaterForKisumu,
  education.libraryBusLodz,
  environment.mangrovesToliara,
  health.eyeglassesSaoLuis,
  animals.hedgehogHospital,
  food.breakfastNairobi,
  housing.warmGersUlaanbaatar,
  culture.koraZiguinchor,
  emergency.floodBoatsSylhet,
  technology.villageInternetChiloe,
  livelihoods.beesOfKars,
  children.playgroundCebu,
  environment.streetTreesDaNang,
  animals.turtlesBoaVista,
  education.brailleTextbooksOaxaca,
  food.nightBakeryPorto,
  health.midwivesKaramoja,
  livelihoods.bicycleMechanics,
  water.fogNetsForLima,
  housing.firstKeysIasi,
  emergency.avalancheRadiosSvaneti,
  technology.laptopsKumasi,
  animals.donkeyClinic,
  environment.bogParnumaa,
  livelihoods.cocoaTumaco,
  children.siblingsCamp,
  food.seedBankJumla,
  technology.weatherStationsHuye,
  housing.adobeQuetzaltenango,
  education.lampsForMzuzu,
  culture.puppetStageOlomouc,
];
