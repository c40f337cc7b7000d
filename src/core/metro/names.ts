import type { Random } from './random.ts';

const STEMS =
  'Ald Ash Bar Birch Black Bram Bur Cald Clay Cob Crow Dun Elm Fair Farn Fen Fern Gold Hart Hazel Hol Kel Kings Lang Lark Lin Marl Mill New Oak Pen Pin Quar Raven Red Rook Sand Sel Stan Swan Thorn Wal Wen West Whit Win Wren Yar'.split(
    ' ',
  );
const ENDINGS =
  'bury by combe cote dale den field ford gate ham hill holm hurst leigh ley mere mouth ness port shaw side stead stow ton well wick wood worth'.split(
    ' ',
  );
const TOWNS =
  'Aldermere Ambleport Arrowfield Beaconsby Bellhaven Brackwater Bramblewick Cedarford Copperhill Cresthaven Dovermouth Driftwell Dunmouth Eastholme Emberton Falconbridge Ferrybridge Foxhollow Glenhaven Greywater Harrowgate Hollowmere Ivoryport Juniper Kestrelby Lanternby Longshore Maplecross Millhaven Moorgate Northwater Orchardby Pebbleton Quillhaven Ravensmouth Saltmarsh Silverbrook Tidewater Underhill Winterbourne'.split(
    ' ',
  );
const LINES =
  'Abbey Beacon Bridge Canal Castle Cathedral Garden Granary Harbour Market Meadow Museum Orchard Palace River Summit Theatre Valley'.split(
    ' ',
  );
const LOOPS = 'Circle Crown Garland Halo Orbit Ring'.split(' ');

/** The longest station name: more letters would not find a place beside a station. */
const LONGEST = 8;

/** Station names, all different; none is part of another, nor one letter away from it. */
export function stationNames(random: Random, count: number): readonly string[] {
  const names: string[] = [];
  const stems = random.shuffle(STEMS);
  while (names.length < count) {
    const stem = stems[names.length % stems.length]!;
    const name = stem + random.pick(ENDINGS);
    if (name.length > LONGEST || clashes(name, names)) continue;
    names.push(name);
  }
  return names;
}

function clashes(name: string, taken: readonly string[]): boolean {
  const lower = name.toLowerCase();
  // Three letters in a row ("Fennness") do not look like a name.
  if (/(.)\1\1/u.test(lower)) return true;
  return taken
    .map((other) => other.toLowerCase())
    .some(
      (other) => other.includes(lower) || lower.includes(other) || oneLetterApart(lower, other),
    );
}

function oneLetterApart(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  return [...a].filter((letter, index) => letter !== b[index]).length <= 1;
}

/** The network's name: another one for each of 40 seeds in a row. */
export function townName(seed: number): string {
  return TOWNS[(seed * 7) % TOWNS.length]!;
}

/** Names for lines, all different. */
export function lineNames(random: Random, count: number): readonly string[] {
  return random.shuffle(LINES).slice(0, count);
}

/** A name for a loop. */
export function loopName(random: Random): string {
  return random.pick(LOOPS);
}
