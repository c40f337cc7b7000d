/** Holds the indexes of banks and answers what is asked of them, off the page's thread. */
import { tokenize } from '../core/recall/tokenize.ts';
import { RecallDesk } from './recall-desk.ts';
import { recallOrderSchema } from './recall-protocol.ts';

const desk = new RecallDesk({ id: 'words-1', tokenize });

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const answer = desk.carryOut(recallOrderSchema.parse(data));
  const bytes = answer.type === 'stored' ? [...answer.parts.values()] : [];
  postMessage(answer, { transfer: bytes.map(({ buffer }) => buffer) });
});
