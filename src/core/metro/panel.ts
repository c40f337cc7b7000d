import type { PixelRect, PixelSize } from '../box.ts';
import { textHeight, textWidth } from './font.ts';
import { stationOf } from './graph.ts';
import type { MetroMap, SceneElement } from './scene.ts';
import { noteText } from './small-print.ts';

/** Cap height of everything inside the panel: illegible in the whole picture, legible in a crop. */
export const PANEL_CAP_PX = 10;
const PADDING_PX = 16;
const ROW_PX = 22;
const COLUMN_PX = 176;
/** The swatch of a legend row, and what lies between it and the name. */
export const SWATCH_PX: PixelSize = { width: 34, height: 8 };
export const SWATCH_GAP_PX = 10;
const RULE_PX = 12;

function notesOf(map: MetroMap): readonly string[] {
  const skips = map.lines.flatMap((line) =>
    line.skips.map((station) =>
      noteText({ kind: 'skips', line: line.name, station: stationOf(map, station).name }),
    ),
  );
  const closed = map.stations
    .filter((station) => station.closedToChanges)
    .map((station) => noteText({ kind: 'closed-to-changes', station: station.name }));
  return [...skips, ...closed];
}

/** How large a map's panel is: two columns of legend rows above the small print. */
export function panelSize(map: MetroMap): PixelSize {
  const rows = Math.ceil(map.lines.length / 2) + notesOf(map).length;
  const widest = Math.max(...notesOf(map).map((note) => textWidth(note, PANEL_CAP_PX)));
  return {
    width: Math.max(2 * COLUMN_PX, widest) + 2 * PADDING_PX,
    height: rows * ROW_PX + RULE_PX + 2 * PADDING_PX - (ROW_PX - textHeight(PANEL_CAP_PX)),
  };
}

/** The panel's frame, its legend rows and its small print, in drawing order. */
export function panelElements(map: MetroMap, panel: PixelRect): readonly SceneElement[] {
  const left = panel.x + PADDING_PX;
  const top = panel.y + PADDING_PX;
  const height = textHeight(PANEL_CAP_PX);
  const rowCount = Math.ceil(map.lines.length / 2);
  const rows = map.lines.map((line, index): SceneElement => {
    const text = `${line.name} ${line.loop ? 'loop' : 'line'}`;
    const width = SWATCH_PX.width + SWATCH_GAP_PX + textWidth(text, PANEL_CAP_PX);
    const x = left + COLUMN_PX * Math.floor(index / rowCount);
    const rect = { x, y: top + ROW_PX * (index % rowCount), width, height };
    return {
      type: 'legend-row',
      line: line.id,
      colour: line.colour,
      text,
      rect,
      sizePx: PANEL_CAP_PX,
    };
  });
  const notes = notesOf(map).map((text, index): SceneElement => {
    const y = top + ROW_PX * (rowCount + index) + RULE_PX;
    const rect = { x: left, y, width: textWidth(text, PANEL_CAP_PX), height };
    return { type: 'small-print', text, rect, sizePx: PANEL_CAP_PX };
  });
  return [{ type: 'legend-panel', rect: panel, sizePx: panel.height }, ...rows, ...notes];
}
