import { describe, expect, test } from 'vitest';
import type { ImagePart } from '../../../../src/core/call.ts';
import { perceive, viewOf, viewsOf } from '../../../../src/core/metro/solver/perceive.ts';
import { PANEL, RED, smallScene } from '../small-scene.ts';

const size = smallScene.size;
const WHOLE = viewOf({ x: 0, y: 0, ...size });
const own: ImagePart = { type: 'image', hash: 'map', mediaType: 'image/png', ...size };

function cropOf(
  hash: string,
  [x, y, width, height]: readonly [number, number, number, number],
): ImagePart {
  const box = [
    x / size.width,
    y / size.height,
    (x + width) / size.width,
    (y + height) / size.height,
  ] as const;
  return {
    type: 'image',
    hash: `crop-of-${hash}`,
    mediaType: 'image/png',
    width,
    height,
    source: { hash, box },
  };
}

describe('what is seen of a map', () => {
  test('the whole map shows tracks and large labels, and small things only as unread places', () => {
    const percept = perceive(smallScene, [WHOLE]);
    expect(percept.labels.map(({ text }) => text)).toContain('Gorse');
    expect(percept.tracks).toHaveLength(11);
    expect(percept.panel).toEqual(PANEL);
    expect([percept.legend, percept.notes, percept.arrows]).toEqual([[], [], []]);
    expect(percept.unread).toHaveLength(6);
    expect(JSON.stringify(percept)).not.toMatch(/Harbour|Castle|do not stop/u);
  });

  test('a crop shown at its own scale makes what lies wholly inside it legible, and nothing else', () => {
    const views = viewsOf([own, cropOf('map', [1010, 610, 200, 55])], 'map', size);
    const percept = perceive(smallScene, views);
    expect(percept.legend.map(({ text }) => text)).toEqual(['Harbour', 'Castle']);
    expect(percept.notes).toEqual([]);
    expect(percept.unread).toHaveLength(4);
  });

  test('a crop cut through a thing does not show it', () => {
    const views = viewsOf([own, cropOf('map', [1021, 610, 400, 200])], 'map', size);
    expect(perceive(smallScene, views).legend).toEqual([]);
  });

  test('a crop over 512 px is scaled down, and small print in it is lost again', () => {
    const read = (width: number) =>
      perceive(
        smallScene,
        viewsOf([own, cropOf('map', [1440 - width, 590, width, 220])], 'map', size),
      ).legend;
    expect(read(512)).toHaveLength(3);
    expect(read(680)).toHaveLength(3);
    expect(read(690)).toHaveLength(0);
  });

  test('a crop of another map shows nothing of this one', () => {
    const views = viewsOf([own, cropOf('other', [1000, 600, 400, 200])], 'map', size);
    expect(perceive(smallScene, views)).toEqual(perceive(smallScene, [WHOLE]));
  });

  test('tracks keep their colour and lose the id of their line', () => {
    const track = perceive(smallScene, [WHOLE]).tracks.find(({ colour }) => colour === RED);
    expect(Object.keys(track ?? {}).sort()).toEqual(['colour', 'from', 'points', 'to']);
  });
});
