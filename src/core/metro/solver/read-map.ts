import type { Percept, SeenTrack } from './perceive.ts';
import type { Point } from '../scene.ts';
import { parseNote, type Note } from '../small-print.ts';

/** A line as seen: a colour and the stations that its tracks join. Whether its name is known is another matter. */
export interface SeenLine {
  readonly colour: string;
  /** Neighbours of each station. */
  readonly joined: ReadonlyMap<string, readonly string[]>;
  readonly tracks: readonly SeenTrack[];
  /** Each station has two neighbours: the line is closed. */
  readonly closed: boolean;
}

/** A graph rebuilt from what was seen, and nothing else. */
export interface MapReading {
  readonly lines: readonly SeenLine[];
  /** Colours by line name, as far as legend rows were read. */
  readonly colourOf: ReadonlyMap<string, string>;
  /** Station names by id, as far as labels were read. */
  readonly nameOf: ReadonlyMap<string, string>;
  /** Where station marks stand, by station id. */
  readonly placeOf: ReadonlyMap<string, Point>;
  readonly notes: readonly Note[];
  readonly arrows: Percept['arrows'];
  /** Whether anything in the legend's frame was too small to read, or the frame itself was not seen. */
  readonly legendRead: boolean;
}

/** Rebuilds the graph: tracks by colour, names where labels, legend rows and notes were read. */
export function readMap(percept: Percept): MapReading {
  const byColour = new Map<string, SeenTrack[]>();
  for (const track of percept.tracks) {
    byColour.set(track.colour, [...(byColour.get(track.colour) ?? []), track]);
  }
  const { panel } = percept;
  return {
    lines: [...byColour].map(([colour, tracks]) => seenLine(colour, tracks)),
    colourOf: new Map(percept.legend.map(({ colour, text }) => [bareLineName(text), colour])),
    nameOf: new Map(percept.labels.map(({ station, text }) => [station, text])),
    placeOf: new Map(percept.marks.map(({ station, at }) => [station, at])),
    notes: percept.notes.flatMap((text) => parseNote(text) ?? []),
    arrows: percept.arrows,
    legendRead: panel === null || !percept.unread.some((rect) => overlaps(rect, panel)),
  };
}

/** The id of the station with this name; null where no such label was read. */
export function stationNamed(reading: MapReading, name: string): string | null {
  for (const [id, text] of reading.nameOf) if (text === name) return id;
  return null;
}

/** A station's name as far as it was read. */
export function nameOfStation(reading: MapReading, id: string): string {
  return reading.nameOf.get(id) ?? 'a station whose name I cannot read';
}

/** The name of the line with this colour, where its legend row was read. */
export function nameOfColour(reading: MapReading, colour: string): string | null {
  for (const [name, value] of reading.colourOf) if (value === colour) return name;
  return null;
}

/** Whether trains of the line stop there, by the notes that were read. */
export function stopsAt(reading: MapReading, line: SeenLine, station: string): boolean {
  const name = nameOfColour(reading, line.colour);
  const stationName = reading.nameOf.get(station);
  return !reading.notes.some(
    (note) => note.kind === 'skips' && note.line === name && note.station === stationName,
  );
}

/** Whether one can change there, by the notes that were read. */
export function changesAllowedAt(reading: MapReading, station: string): boolean {
  const name = reading.nameOf.get(station);
  return !reading.notes.some((note) => note.kind === 'closed-to-changes' && note.station === name);
}

/**
 * The ways along a line from one station to another, both ends included, the shorter first: one on an
 * open line, two on a closed one, none where the line does not join them.
 */
export function waysAlong(
  line: SeenLine,
  from: string,
  to: string,
): readonly (readonly string[])[] {
  if (from === to || !line.joined.has(to)) return [];
  return (line.joined.get(from) ?? [])
    .flatMap((first) => {
      const way = walk(line, [from, first], to);
      return way === null ? [] : [way];
    })
    .sort((a, b) => a.length - b.length);
}

/**
 * From a station along a line towards another: the way there, or, where the line does not lead there,
 * to its end, setting out for the neighbour that lies nearest to it. Empty where the line has no such station.
 */
export function wayTowards(
  reading: MapReading,
  line: SeenLine,
  [at, towards]: readonly [string, string],
): readonly string[] {
  const [there] = waysAlong(line, at, towards);
  if (there !== undefined) return there;
  const goal = reading.placeOf.get(towards);
  const far = (station: string) => {
    const place = reading.placeOf.get(station);
    return goal && place ? Math.hypot(place.x - goal.x, place.y - goal.y) : Infinity;
  };
  const [first] = [...(line.joined.get(at) ?? [])].sort((a, b) => far(a) - far(b));
  return first === undefined ? [] : roundFrom(line, at, first);
}

/** Which of the ways runs with an arrow that was read on this line; null where none was. */
export function wayOfArrows(
  reading: MapReading,
  line: SeenLine,
  ways: readonly (readonly string[])[],
): readonly string[] | null {
  const [arrow] = arrowsOf(reading, line);
  if (arrow === undefined) return null;
  const order = roundFrom(line, arrow.from, arrow.to);
  return (
    ways.find(([a = '', b = '']) => order[(order.indexOf(a) + 1) % order.length] === b) ?? null
  );
}

/** The arrows that were read beside a line's own tracks. */
export function arrowsOf(reading: MapReading, line: SeenLine): Percept['arrows'] {
  return reading.arrows.filter(({ from, to }) => (line.joined.get(from) ?? []).includes(to));
}

/** Whether two colours, `#rrggbb`, are easily taken for each other: near, and called by one word. */
export function looksLike(a: string, b: string): boolean {
  if (a === b || colourWord(a) !== colourWord(b)) return false;
  const [r1, g1, b1] = channels(a);
  const [r2, g2, b2] = channels(b);
  return Math.hypot(r1 - r2, g1 - g2, b1 - b2) <= LOOK_ALIKE_DISTANCE;
}

/** How far apart look-alike colours may be, as a distance of their 8-bit red, green and blue. */
const LOOK_ALIKE_DISTANCE = 75;

/** A colour as a person would say it: "blue", "dark green". */
export function colourWord(colour: string): string {
  const [r, g, b] = channels(colour);
  const top = Math.max(r, g, b);
  const range = top - Math.min(r, g, b);
  if (range < 24) return top < 90 ? 'black' : 'grey';
  const sector =
    top === r ? ((g - b) / range + 6) % 6 : top === g ? (b - r) / range + 2 : (r - g) / range + 4;
  const hue = sector * 60;
  if (top < 160 && hue >= 10 && hue < 45) return 'brown';
  if (top > 220 && hue >= 192 && hue < 252) return 'light blue';
  return HUES.find(([below]) => hue < below)?.[1] ?? 'red';
}

const HUES: readonly (readonly [below: number, word: string])[] = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [160, 'green'],
  [192, 'teal'],
  [252, 'blue'],
  [295, 'purple'],
  [345, 'pink'],
];

function seenLine(colour: string, tracks: readonly SeenTrack[]): SeenLine {
  const joined = new Map<string, string[]>();
  const join = (from: string, to: string) => joined.set(from, [...(joined.get(from) ?? []), to]);
  for (const { from, to } of tracks) {
    join(from, to);
    join(to, from);
  }
  const closed = tracks.length > 2 && [...joined.values()].every((next) => next.length === 2);
  return { colour, joined, tracks, closed };
}

function walk(line: SeenLine, start: readonly string[], to: string): readonly string[] | null {
  const way = [...start];
  while (way.at(-1) !== to) {
    const next = (line.joined.get(way.at(-1) ?? '') ?? []).find(
      (station) => !way.includes(station),
    );
    if (next === undefined) return null;
    way.push(next);
  }
  return way;
}

function roundFrom(line: SeenLine, first: string, second: string): readonly string[] {
  const order = [first, second];
  for (;;) {
    const next = (line.joined.get(order.at(-1) ?? '') ?? []).find(
      (station) => !order.includes(station),
    );
    if (next === undefined) return order;
    order.push(next);
  }
}

function bareLineName(text: string): string {
  return text.replace(/\s+(?:line|loop)$/iu, '').trim();
}

function overlaps(a: Percept['unread'][number], b: NonNullable<Percept['panel']>): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function channels(colour: string): readonly [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
