import { changesAllowedAt, stopsAt, type MapReading, type SeenLine } from './read-map.ts';

/** The lines of a journey with the fewest changes, in order of riding; null where there is none. */
export function fewestRides(
  reading: MapReading,
  from: string,
  to: string,
): readonly SeenLine[] | null {
  const serves = (line: SeenLine, station: string) =>
    line.joined.has(station) && stopsAt(reading, line, station);
  let journeys = reading.lines.filter((line) => serves(line, from)).map((line) => [line]);
  const ridden = new Set(journeys.flat());
  while (journeys.length > 0) {
    const arrived = journeys.find((journey) => serves(journey.at(-1)!, to));
    if (arrived !== undefined) return arrived;
    journeys = journeys.flatMap((journey) => {
      const last = journey.at(-1)!;
      const meets = (line: SeenLine) =>
        [...last.joined.keys()].some(
          (station) =>
            serves(last, station) && serves(line, station) && changesAllowedAt(reading, station),
        );
      return reading.lines
        .filter((line) => !ridden.has(line) && meets(line))
        .map((line) => {
          ridden.add(line);
          return [...journey, line];
        });
    });
  }
  return null;
}
