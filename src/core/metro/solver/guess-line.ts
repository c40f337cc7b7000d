import type { QuestionForm } from '../question-form.ts';
import { looksLike, waysAlong, type MapReading, type SeenLine } from './read-map.ts';

/**
 * A guess at which line is meant, without the legend. It is a poor one by design: where only a next
 * station is asked for it falls for another line at the first station, of nearly the same colour if
 * there is one, rather than work out which line leads to the second.
 */
export function guessLine(
  reading: MapReading,
  stations: readonly [string, string],
  kind: QuestionForm['kind'],
): SeenLine | null {
  const [direct] = linesThrough(reading, stations);
  if (kind !== 'next-station') return direct ?? null;
  const here = reading.lines.filter((line) => line.joined.has(stations[0]) && line !== direct);
  const alike = here.find((line) => direct !== undefined && looksLike(line.colour, direct.colour));
  return alike ?? here[0] ?? direct ?? null;
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
