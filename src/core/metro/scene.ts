import type { PixelRect, PixelSize } from '../box.ts';

/** The size of every metro map, in pixels. */
export const MAP_SIZE: PixelSize = { width: 1440, height: 960 };

/** A place on a map, in pixels from the top left. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line as it is, whatever can be read of it. `stations` in order of travel; a loop ends where it begins. */
export interface MetroLine {
  readonly id: string;
  /** Without the word "line" or "loop": "Harbour". */
  readonly name: string;
  /** `#rrggbb`. */
  readonly colour: string;
  /** Station ids; on a loop the first is not repeated at the end. */
  readonly stations: readonly string[];
  readonly loop: boolean;
  /** On a loop: trains run in the order of `stations` only. */
  readonly oneWay: boolean;
  /** Stations of the line where its trains do not stop (said in small print only). */
  readonly skips: readonly string[];
}

export interface MetroStation {
  readonly id: string;
  readonly name: string;
  readonly at: Point;
  /** More than one line stops here, but changing is not possible (said in small print only). */
  readonly closedToChanges: boolean;
}

/** The truth of a map: its graph. Question answers are computed from it; no solver sees it. */
export interface MetroMap {
  readonly seed: number;
  readonly name: string;
  readonly lines: readonly MetroLine[];
  readonly stations: readonly MetroStation[];
  /** Pairs of lines whose colours are easily taken for each other. */
  readonly lookAlikes: readonly (readonly [lineId: string, lineId: string])[];
}

/**
 * What is drawn, thing by thing. `rect` is where it lies in pixels of the map; `sizePx` is what
 * legibility turns on: cap height of text, length of an arrow, width of a track, diameter of a mark.
 */
export type SceneElement =
  | {
      readonly type: 'track';
      readonly line: string;
      readonly colour: string;
      readonly from: string;
      readonly to: string;
      readonly points: readonly Point[];
      readonly rect: PixelRect;
      readonly sizePx: number;
    }
  | {
      readonly type: 'station-mark';
      readonly station: string;
      readonly at: Point;
      readonly interchange: boolean;
      readonly rect: PixelRect;
      readonly sizePx: number;
    }
  | {
      readonly type: 'station-label';
      readonly station: string;
      readonly text: string;
      readonly rect: PixelRect;
      readonly sizePx: number;
    }
  /** The direction of travel on a one-way loop, beside the track that leads from one station to the next. */
  | {
      readonly type: 'arrow';
      readonly line: string;
      readonly from: string;
      readonly to: string;
      readonly rect: PixelRect;
      readonly sizePx: number;
    }
  /** A swatch of a line's colour and its name, in the legend panel. */
  | {
      readonly type: 'legend-row';
      readonly line: string;
      readonly colour: string;
      readonly text: string;
      readonly rect: PixelRect;
      readonly sizePx: number;
    }
  /** A sentence in the legend panel; `noteText` and `parseNote` give and read its wording. */
  | {
      readonly type: 'small-print';
      readonly text: string;
      readonly rect: PixelRect;
      readonly sizePx: number;
    }
  /** The frame around legend rows and small print; seen at any size, whatever can be read inside. */
  | { readonly type: 'legend-panel'; readonly rect: PixelRect; readonly sizePx: number }
  | {
      readonly type: 'title';
      readonly text: string;
      readonly rect: PixelRect;
      readonly sizePx: number;
    };

/** All that is drawn on a map, in drawing order. */
export interface Scene {
  readonly seed: number;
  readonly size: PixelSize;
  readonly elements: readonly SceneElement[];
}
