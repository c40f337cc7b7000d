import { CHAT_SPECIALS } from '../decoder/chat-tokenizer.mjs';

/** Tiles that an image is cut into at most, along each side. */
export const MOST_TILES = 4;

const IMAGE_TOKEN = '<image>';

/** The special tokens around an image: its places, its edge, the whole of it and each of its tiles. */
export const IMAGE_SPECIALS = [
  IMAGE_TOKEN,
  '<fake_token_around_image>',
  '<global-img>',
  ...Array.from({ length: MOST_TILES ** 2 }, (_, at) => {
    const row = Math.floor(at / MOST_TILES);
    return `<row_${row + 1}_col_${(at % MOST_TILES) + 1}>`;
  }),
];

/** The id of a place that an image's row is put into. */
export const IMAGE_ID = CHAT_SPECIALS.length + IMAGE_SPECIALS.indexOf(IMAGE_TOKEN);
