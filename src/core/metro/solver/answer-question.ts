import type { QuestionForm } from '../question-form.ts';
import { fewestRides } from './fewest-rides.ts';
import { guessLine, linesThrough, lookAlike } from './guess-line.ts';
import {
  arrowsOf,
  colourWord,
  nameOfColour,
  nameOfStation,
  stationNamed,
  stopsAt,
  wayOfArrows,
  waysAlong,
  wayTowards,
  type MapReading,
  type SeenLine,
} from './read-map.ts';
import { slipOf, type SlipId } from './slips.ts';

/** What had to be assumed because something was too small to read. */
export interface Doubt {
  readonly about: 'legend' | 'direction';
  /** The line whose direction is unknown, by colour. */
  readonly colour: string | null;
  /** One sentence, as it stands in the work. */
  readonly why: string;
}

/** An answer with the work that led to it. */
export interface Work {
  /** Plain sentences, in order. */
  readonly log: readonly string[];
  readonly answer: string;
  readonly doubts: readonly Doubt[];
}

/** What is written where nothing can be said. */
const UNKNOWN = 'unknown';

interface Desk {
  readonly reading: MapReading;
  /** The slip that this question invites is made. */
  readonly slip: SlipId | null;
  readonly log: string[];
  readonly doubts: Doubt[];
}

/**
 * Answers a question from a reading alone. What was not read is assumed, and said; of the slips given,
 * the one that the question invites is made.
 */
export function answerQuestion(
  reading: MapReading,
  form: QuestionForm,
  slips: ReadonlySet<SlipId>,
): Work {
  const invited = slipOf(form);
  const slip = slips.has(invited) ? invited : null;
  const desk: Desk = { reading, slip, log: [], doubts: [] };
  const answer = solve(desk, form);
  return { log: desk.log, answer: answer ?? UNKNOWN, doubts: desk.doubts };
}

function solve(desk: Desk, form: QuestionForm): string | null {
  switch (form.kind) {
    case 'stops-between':
    case 'loop-direction':
      return countStops(desk, form);
    case 'next-station':
      return nextStation(desk, form);
    case 'line-by-legend':
      return directLine(desk, form);
    case 'transfers':
      return countChanges(desk, form);
  }
}

function countStops(
  desk: Desk,
  form: Extract<QuestionForm, { kind: 'stops-between' | 'loop-direction' }>,
): string | null {
  const ends = findStations(desk, [form.from, form.to]);
  if (ends === null) return null;
  const [from, to] = ends;
  const line = findLine(desk, form.line, [from, to], form.kind);
  if (line === null) return null;
  const way = chooseWay(desk, line, from, to);
  if (way === null) return null;
  const stops = way.slice(1).filter((station) => stopsAt(desk.reading, line, station));
  sayPassed(desk, line, way);
  const listed = stops.map((station) => nameOfStation(desk.reading, station));
  if (desk.slip === 'counts-origin') {
    desk.log.push(
      `I count the stations from ${form.from} on: ${[form.from, ...listed].join(', ')}.`,
    );
    return String(stops.length + 1);
  }
  desk.log.push(`I count the stations after ${form.from}: ${listed.join(', ')}.`);
  return String(stops.length);
}

function nextStation(
  desk: Desk,
  form: Extract<QuestionForm, { kind: 'next-station' }>,
): string | null {
  const ends = findStations(desk, [form.at, form.towards]);
  if (ends === null) return null;
  const [at, towards] = ends;
  const line = findLine(desk, form.line, [at, towards], form.kind);
  if (line === null) return null;
  const way = line.closed
    ? chooseWay(desk, line, at, towards)
    : wayTowards(desk.reading, line, [at, towards]);
  if (way === null) return null;
  sayPassed(desk, line, way);
  const next = way.slice(1).find((station) => stopsAt(desk.reading, line, station)) ?? towards;
  desk.log.push(`After ${form.at} the train stops next at ${nameOfStation(desk.reading, next)}.`);
  return nameOfStation(desk.reading, next);
}

function directLine(
  desk: Desk,
  form: Extract<QuestionForm, { kind: 'line-by-legend' }>,
): string | null {
  const ends = findStations(desk, [form.from, form.to]);
  if (ends === null) return null;
  const [from, to] = ends;
  const { reading } = desk;
  const through = linesThrough(reading, [from, to]);
  const running = through.filter((line) => ends.every((end) => stopsAt(reading, line, end)));
  const line = (running.length > 0 ? running : through)[0];
  if (line === undefined) {
    desk.log.push(`I see no track that joins ${form.from} and ${form.to}.`);
    return null;
  }
  desk.log.push(`A ${colourWord(line.colour)} line joins ${form.from} and ${form.to}.`);
  if (!reading.legendRead) {
    doubtLegend(desk, 'The legend is too small to read, so I do not know the name of this line.');
  }
  const other = desk.slip === 'look-alike' ? lookAlike(reading, line) : null;
  const name = nameOfColour(reading, other?.colour ?? line.colour);
  if (name === null) return `the ${colourWord(line.colour)} line`;
  desk.log.push(`The legend has ${colourWord(line.colour)} for ${name}.`);
  return name;
}

function countChanges(
  desk: Desk,
  form: Extract<QuestionForm, { kind: 'transfers' }>,
): string | null {
  const ends = findStations(desk, [form.from, form.to]);
  if (ends === null) return null;
  const { reading } = desk;
  if (!reading.legendRead) {
    doubtLegend(desk, 'The small print is too small to read; I take it that it says nothing here.');
  } else {
    for (const note of reading.notes) {
      if (note.kind === 'closed-to-changes') {
        desk.log.push(`The small print says that one cannot change at ${note.station}.`);
      }
    }
  }
  const rides = fewestRides(reading, ends[0], ends[1]);
  if (rides === null) {
    desk.log.push(`I find no way from ${form.from} to ${form.to}.`);
    return null;
  }
  const colours = rides.map(({ colour }) => colourWord(colour));
  desk.log.push(`I ride ${colours.map((word) => `a ${word} line`).join(', then ')}.`);
  if (desk.slip === 'counts-origin') {
    desk.log.push(`I count each time I get on a train: ${rides.length}.`);
    return String(rides.length);
  }
  desk.log.push(`I count each time I get off one line and onto another: ${rides.length - 1}.`);
  return String(rides.length - 1);
}

function findStations(desk: Desk, names: readonly [string, string]): [string, string] | null {
  const [from, to] = names.map((name) => stationNamed(desk.reading, name));
  if (typeof from === 'string' && typeof to === 'string') {
    desk.log.push(`I find ${names[0]} and ${names[1]} on the map.`);
    return [from, to];
  }
  desk.log.push(`I cannot find ${from == null ? names[0] : names[1]} on the map.`);
  return null;
}

/** The line with this name: by the legend where its row was read, else a guess, which is said. */
function findLine(
  desk: Desk,
  name: string,
  stations: readonly [string, string],
  kind: QuestionForm['kind'],
): SeenLine | null {
  const { reading, log } = desk;
  const colour = reading.colourOf.get(name);
  const read = reading.lines.find((line) => line.colour === colour);
  if (read !== undefined) {
    const other = desk.slip === 'look-alike' ? lookAlike(reading, read, stations[0]) : null;
    log.push(`The legend has ${colourWord((other ?? read).colour)} for ${name}.`);
    if (!reading.legendRead) doubtLegend(desk, 'Part of the legend is too small to read.');
    return other ?? read;
  }
  const loops = linesThrough(reading, stations).filter((line) => line.closed);
  const [onlyLoop] = loops;
  if (kind === 'loop-direction' && loops.length === 1 && onlyLoop !== undefined) {
    const word = colourWord(onlyLoop.colour);
    log.push(`The only loop through both is the ${word} one; that is ${name}.`);
    return onlyLoop;
  }
  const guess = guessLine(reading, stations, kind);
  if (guess === null) {
    doubtLegend(desk, 'The legend is too small to read, and I see no line that could be meant.');
    return null;
  }
  const word = colourWord(guess.colour);
  doubtLegend(desk, `The legend is too small to read; I take the ${word} line for ${name}.`);
  return guess;
}

function chooseWay(desk: Desk, line: SeenLine, from: string, to: string): readonly string[] | null {
  const { reading, log } = desk;
  const ways = waysAlong(line, from, to);
  const [shorter] = ways;
  if (shorter === undefined) {
    log.push(`The ${colourWord(line.colour)} line does not join the two stations.`);
    return null;
  }
  if (!line.closed) return shorter;
  if (arrowsOf(reading, line).length === 0) {
    const why = 'I can read no arrow on the loop, so I go the shorter way round.';
    desk.doubts.push({ about: 'direction', colour: line.colour, why });
    log.push(why);
    return shorter;
  }
  if (desk.slip === 'ignores-one-way') {
    log.push('There are two ways round; I go the shorter one.');
    return shorter;
  }
  log.push('I go round the loop the way that the arrow points.');
  return wayOfArrows(reading, line, ways) ?? shorter;
}

function sayPassed({ reading, log }: Desk, line: SeenLine, way: readonly string[]): void {
  const passed = way.filter((station) => !stopsAt(reading, line, station));
  if (passed.length === 0) return;
  const names = passed.map((station) => nameOfStation(reading, station)).join(', ');
  log.push(`The small print says that its trains do not stop at ${names}.`);
}

function doubtLegend(desk: Desk, why: string): void {
  desk.doubts.push({ about: 'legend', colour: null, why });
  desk.log.push(why);
}
