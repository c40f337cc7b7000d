import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

/** What a headless Chromium needs to start as root in a container and to stay off the network. */
export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What gives it a GPU made of software, without 16-bit numbers. */
export const GPU_ARGUMENTS = [
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--enable-features=Vulkan',
];

/**
 * The path of a Chromium on this machine, or undefined: `CHROMIUM_PATH`, then the usual places,
 * then the one Playwright installed.
 *
 * @returns {string | undefined}
 */
export function findChromium() {
  const places = [
    process.env['CHROMIUM_PATH'],
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    chromium.executablePath(),
  ];
  return places.find((place) => place !== undefined && place !== '' && existsSync(place));
}
