import { byteReader, type FormatScan } from './scan.ts';

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;

/** Walks the blocks of a GIF and counts its frames. A missing trailer alone is no damage. */
export function scanGif(bytes: Uint8Array): FormatScan {
  const read = byteReader(bytes, 'little');
  const colourTable = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  const skipSubBlocks = (from: number) => {
    let at = from;
    while (at < read.length && read.u8(at) !== 0) at += 1 + read.u8(at);
    return at + 1;
  };
  let frames = 0;
  let cut = false;
  let at = 13 + colourTable(read.u8(10));
  while (at < read.length && !cut) {
    const kind = read.u8(at);
    if (kind === TRAILER) break;
    if (kind === IMAGE) at = skipSubBlocks(at + 11 + colourTable(read.u8(at + 9)));
    else if (kind === EXTENSION) at = skipSubBlocks(at + 2);
    else break;
    cut = at > read.length;
    if (kind === IMAGE && !cut) frames += 1;
  }
  return {
    width: read.u16(6),
    height: read.u16(8),
    orientation: 1,
    frames,
    complete: frames > 0 && !cut,
    keep: [[0, bytes.length]],
    cmyk: 'no',
  };
}
