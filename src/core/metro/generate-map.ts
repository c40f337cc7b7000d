import { mapColours } from './colours.ts';
import { layOut } from './lay-out.ts';
import { lineNames, loopName, stationNames, townName } from './names.ts';
import { questionsOf } from './questions.ts';
import { seededRandom, type Random } from './random.ts';
import type { MetroLine, MetroMap, MetroStation, Point } from './scene.ts';
import { TEMPLATES, type Template } from './templates.ts';

/** Grid geometry in pixels of the map. */
const PITCH = 124;
const ORIGIN: Point = { x: 100, y: 152 };
const COLUMNS = 11;
const ROWS = 7;
const MOST_STATIONS = 30;
const FEWEST_STATIONS = 24;

interface Shape {
  readonly template: Template;
  /** Places along each line, by template line, those left out gone. */
  readonly places: ReadonlyMap<string, readonly string[]>;
}

/**
 * The map of a seed: the same graph, names and places for ever. Every map can be laid out without
 * overlaps and has ten questions; shapes that do not are passed over, deterministically.
 */
export function generateMap(seed: number): MetroMap {
  for (let round = 0; round < 400; round++) {
    const map = draftMap(seed, seededRandom(seed * 1009 + round * 7919 + 1));
    if (questionsOf(map).length === 10 && layOut(map).elements.length > 0) return map;
  }
  throw new Error(`no map for seed ${seed}`);
}

function draftMap(seed: number, random: Random): MetroMap {
  const shape = draftShape(random, TEMPLATES[seed % TEMPLATES.length]!);
  const places = [...new Set([...shape.places.values()].flat())];
  const flip = { x: random.below(2) === 1, y: random.below(2) === 1 };
  const names = stationNames(random, places.length);
  const open = shape.template.closed.slice(1).filter((place) => places.includes(place));
  const closed = new Set([shape.template.closed[0]!]);
  if (random.below(2) === 1 && open.length > 0) closed.add(random.pick(open));
  const stations = places.map((place, index): MetroStation => ({
    id: `s${index + 1}`,
    name: names[index]!,
    at: pixelOf(place, flip),
    closedToChanges: closed.has(place),
  }));
  const idOf = (place: string) => `s${places.indexOf(place) + 1}`;
  return {
    seed,
    name: `${townName(seed)} Metro`,
    lines: draftLines(random, shape, idOf),
    stations,
    lookAlikes: shape.template.lookAlikes,
  };
}

/** Leaves out optional stations, in random order, until a number drawn beforehand is left. */
function draftShape(random: Random, template: Template): Shape {
  const lines = Object.entries(template.lines).map(
    ([line, text]) => [line, text.split(' ')] as const,
  );
  const all = lines.flatMap(([, tokens]) => tokens);
  const optional = random.shuffle(all.filter((token) => token.endsWith('?')));
  const count = new Set(all).size;
  const wanted = FEWEST_STATIONS + random.below(MOST_STATIONS - FEWEST_STATIONS + 1);
  const dropped = new Set(optional.slice(0, Math.max(0, count - wanted)));
  const places = new Map(
    lines.map(([line, tokens]) => [
      line,
      tokens.filter((token) => !dropped.has(token)).map((token) => token.replace('?', '')),
    ]),
  );
  return { template, places };
}

function draftLines(
  random: Random,
  { template, places }: Shape,
  idOf: (place: string) => string,
): readonly MetroLine[] {
  const ids = [...places.keys()];
  const paired = template.lookAlikes.flat();
  const single = ids.filter((id) => !paired.includes(id));
  const colours = mapColours(random, template.lookAlikes.length, single.length);
  const colourOf = new Map([
    ...paired.map((id, index) => [id, colours.pairs.flat()[index]!] as const),
    ...single.map((id, index) => [id, colours.others[index]!] as const),
  ]);
  const names = lineNames(random, ids.length);
  const skips = draftSkips(random, template);
  return ids.map((id, index): MetroLine => {
    const loop = id === 'o';
    const stops = places.get(id)!.map(idOf);
    if (random.below(2) === 1) stops.reverse();
    return {
      id,
      name: loop ? loopName(random) : names[index]!,
      colour: colourOf.get(id)!,
      stations: stops,
      loop,
      oneWay: loop,
      skips: skips.filter(([line]) => line === id).map(([, place]) => idOf(place)),
    };
  });
}

/** Two or three skips at different stations, at most two of one line. */
function draftSkips(random: Random, template: Template): (readonly [string, string])[] {
  const chosen: (readonly [string, string])[] = [];
  const wanted = 2 + random.below(2);
  for (const text of random.shuffle(template.skips)) {
    const [line = '', place = ''] = text.split(' ');
    const taken = chosen.some(([, other]) => other === place);
    const ofLine = chosen.filter(([other]) => other === line).length;
    if (!taken && ofLine < 2 && chosen.length < wanted) chosen.push([line, place]);
  }
  return chosen;
}

function pixelOf(place: string, flip: { readonly x: boolean; readonly y: boolean }): Point {
  const [column = 0, row = 0] = place.split(',').map(Number);
  return {
    x: ORIGIN.x + PITCH * (flip.x ? COLUMNS - 1 - column : column),
    y: ORIGIN.y + PITCH * (flip.y ? ROWS - 1 - row : row),
  };
}
