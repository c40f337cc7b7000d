/** A worker for one job: decode, cut, scale, encode. Keeps pixels off the main thread. */
import type { PixelJob } from './pixel-job.ts';

addEventListener('message', (event: MessageEvent<PixelJob>) => {
  void run(event.data);
});

async function run(job: PixelJob): Promise<void> {
  try {
    const bitmap = await decode(job);
    const { width, height } = fit(bitmap, job.maxSide);
    if (job.encode === undefined) {
      postMessage({ ok: true, width, height, bytes: null });
      return;
    }
    const bytes = await draw(bitmap, { width, height }, job);
    postMessage({ ok: true, width, height, bytes }, { transfer: [bytes.buffer] });
  } catch (error) {
    postMessage({ ok: false, message: error instanceof Error ? error.message : String(error) });
  }
}

function decode({ source, region }: PixelJob): Promise<ImageBitmap> | ImageBitmap {
  if (region !== undefined) {
    return createImageBitmap(source, region.x, region.y, region.width, region.height);
  }
  return source instanceof ImageBitmap ? source : createImageBitmap(source);
}

function fit({ width, height }: ImageBitmap, maxSide = Infinity) {
  const scale = Math.min(1, maxSide / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

async function draw(
  bitmap: ImageBitmap,
  { width, height }: { width: number; height: number },
  { encode }: PixelJob,
): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('no canvas of this size');
  context.imageSmoothingQuality = 'high';
  if (encode === 'image/jpeg') {
    context.fillStyle = 'white';
    context.fillRect(0, 0, width, height);
  }
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const blob = await canvas.convertToBlob({
    type: encode ?? 'image/png',
    quality: 0.95,
  });
  return new Uint8Array(await blob.arrayBuffer());
}
