/** Shapes on a 16 × 16 grid, stroked; a shape that is filled says so. */
export interface IconShape {
  readonly paths: readonly string[];
  readonly filled?: readonly string[];
}

const circle = (x: number, y: number, radius: number) =>
  `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${radius * 2} 0a${radius} ${radius} 0 1 0 ${-radius * 2} 0`;

/** Every icon there is. Marks of meaning (memory to judged) are distinct in outline alone. */
export const ICONS = {
  brand: {
    paths: [
      'M8 15V6.5M8 11.5 4.2 8.2M8 9.8l3.6-3.4',
      circle(8, 4, 2.4),
      circle(3, 7, 1.7),
      circle(12.8, 5.3, 1.7),
    ],
  },
  solve: {
    paths: [circle(8, 8, 5.5), circle(8, 8, 1.6), 'M8 .8v2.4M8 12.8v2.4M.8 8h2.4M12.8 8h2.4'],
  },
  bank: { paths: ['M3 2.5v10.5h4M3 5.5h4', 'M7 3h6.5v5H7zM7 10.5h6.5v4H7z'] },
  traces: { paths: ['M2 4h12M2 8h4.5l3 4H14M9 8h5'] },
  evaluate: { paths: ['M2.5 13.5h11M4.5 13.5V9M8 13.5V3.5M11.5 13.5V6.5'] },
  models: {
    paths: [
      'M4 4h8v8H4z',
      'M6 1.5V4M10 1.5V4M6 12v2.5M10 12v2.5M1.5 6H4M1.5 10H4M12 6h2.5M12 10h2.5',
    ],
  },
  settings: { paths: ['M2 5h6M12 5h2M2 11h2M8 11h6', circle(10, 5, 2), circle(6, 11, 2)] },
  search: { paths: [circle(7, 7, 4.5), 'm10.5 10.5 3.5 3.5'] },
  device: { paths: ['M2 3h12v8H2zM5.5 14h5'] },
  remote: { paths: ['M2.5 10.5 13.5 5.5M13.5 5.5 9 4M13.5 5.5l-2 4.4', circle(3, 11, 1.6)] },
  offline: { paths: ['M2.5 2.5l11 11M4.5 8.5a5 5 0 0 1 2-1.8M9.8 6.7a5 5 0 0 1 1.7 1.8M8 12v.1'] },
  theme: { paths: [circle(8, 8, 5.5)], filled: ['M8 2.5v11a5.5 5.5 0 0 0 0-11z'] },
  stop: { paths: [], filled: ['M4 4h8v8H4z'] },
  help: { paths: ['M5.8 6a2.3 2.3 0 1 1 3.2 2.1c-.7.3-1 .8-1 1.5M8 12v.1'] },
  undo: { paths: ['M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H7'] },
  redo: { paths: ['m10 3 3.5 3.5L10 10M13 6.5H6.5a3.5 3.5 0 0 0 0 7H9'] },
  close: { paths: ['M4 4l8 8M12 4l-8 8'] },
  memory: {
    paths: ['M3 13C2.5 6.5 6.5 3 13.5 2.5 13.5 9.5 10 13.5 5 11.5M3 13.8C4.5 10 6.5 8 9.5 6.5'],
  },
  solving: { paths: ['M4 2.8v10.4L13 8z'] },
  success: { paths: [circle(8, 8, 6), 'm5.2 8.2 2 2 3.6-4.2'] },
  failure: { paths: ['M8 1.5 14.5 8 8 14.5 1.5 8z', 'm6.2 6.2 3.6 3.6M9.8 6.2 6.2 9.8'] },
  held: { paths: ['M2.5 2.5h11v11h-11z', 'M6.3 5.5v5M9.7 5.5v5'] },
  judged: { paths: [circle(8, 8, 6), 'M5.2 8h5.6'] },
} satisfies Record<string, IconShape>;

export type IconName = keyof typeof ICONS;
