import type { MetroLine, MetroMap, MetroStation } from './scene.ts';

/** The station with this id. Throws where the map has none: a map names only its own stations. */
export function stationOf(map: MetroMap, id: string): MetroStation {
  const station = map.stations.find((candidate) => candidate.id === id);
  if (station === undefined) throw new Error(`no station ${id} on map ${map.seed}`);
  return station;
}

/** Station ids where the line's trains stop, in order of travel. */
export function stopsOf(line: MetroLine): readonly string[] {
  return line.stations.filter((station) => !line.skips.includes(station));
}

/** The lines whose trains stop at a station. */
export function linesStoppingAt(map: MetroMap, station: string): readonly MetroLine[] {
  return map.lines.filter((line) => stopsOf(line).includes(station));
}

/** Consecutive stations of a line, in order of travel; a loop's last edge leads back to its first. */
export function edgesOf(line: MetroLine): readonly (readonly [from: string, to: string])[] {
  const { stations, loop } = line;
  const edges = stations.slice(1).map((to, index) => [stations[index]!, to] as const);
  return loop ? [...edges, [stations.at(-1)!, stations[0]!]] : edges;
}

/** Stops from one station to another on a line, counted after the first; on a loop, in order of travel. */
export function stopsBetween(line: MetroLine, from: string, to: string): number {
  const stops = stopsOf(line);
  const distance = stops.indexOf(to) - stops.indexOf(from);
  return line.loop ? (distance + stops.length) % stops.length : Math.abs(distance);
}

/**
 * The smallest number of changes between two stations, or null where there is no way. A change needs
 * a station where both lines stop and that is open to changes.
 */
export function smallestChanges(map: MetroMap, from: string, to: string): number | null {
  let frontier = linesStoppingAt(map, from);
  const seen = new Set(frontier.map((line) => line.id));
  for (let changes = 0; frontier.length > 0; changes++) {
    if (frontier.some((line) => stopsOf(line).includes(to))) return changes;
    const reached = frontier
      .flatMap(stopsOf)
      .filter((station) => !stationOf(map, station).closedToChanges)
      .flatMap((station) => linesStoppingAt(map, station));
    frontier = [...new Set(reached)].filter((line) => !seen.has(line.id));
    for (const line of frontier) seen.add(line.id);
  }
  return null;
}

/** The map as it looks to someone who has not read the small print: no skips, nothing closed. */
export function withoutNotes(map: MetroMap): MetroMap {
  return {
    ...map,
    lines: map.lines.map((line) => ({ ...line, skips: [] })),
    stations: map.stations.map((station) => ({ ...station, closedToChanges: false })),
  };
}
