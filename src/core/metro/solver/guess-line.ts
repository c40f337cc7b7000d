import type { QuestionForm } from '../question-form.ts';
import { looksLike, waysAlong, type MapReading, type SeenLine } from './read-map.ts';

/**
 * A guess at which line is meant, without the legend: the one that joins the two stations most
 * directly. It is a poor one by design: where a next station is asked for and only one line leads to
 * the second, it falls for another line at the first, of nearly the same colour if there is one.
 */
export function guessLine(
  reading: MapReading,
  stations: readonly [string, string],
  kind: QuestionForm['kind'],
): SeenLine | null {
  const [direct, second] = linesThrough(reading, stations);
  if (kind !== 'next-station' || direct === undefined || second !== undefined) {
    return direct ?? null;
  }
  const here = reading.lines.filter((line) => line !== direct && line.joined.has(stations[0]));
  return here.find((line) => looksLike(line.colour, direct.colour)) ?? here[0] ?? direct;
}

/** The lines on which one gets from one station to the other, the one with the fewest stations between first. */
export function linesThrough(
  reading: MapReading,
  [from, to]: readonly [string, string],
): readonly SeenLine[] {
  return reading.lines
    .flatMap((line) => {
      const [way] = waysAlong(line, from, to);
      return way === undefined ? [] : [{ line, length: way.length }];
    })
    .sort((a, b) => a.length - b.length || (a.line.colour < b.line.colour ? -1 : 1))
    .map(({ line }) => line);
}

/** A line of nearly the same colour; at the station, where one is given. */
export function lookAlike(reading: MapReading, line: SeenLine, station?: string): SeenLine | null {
  const alike = reading.lines.filter((other) => looksLike(line.colour, other.colour));
  return alike.find(({ joined }) => station === undefined || joined.has(station)) ?? null;
}
