/**
 * The headers of every file that Grove serves (DESIGN.md §7). `connect-src 'self'` holds until the
 * service worker is in control: it serves the same files again with `connect-src` open to http: and
 * https:, and decides by its own allow-list. `style-src-attr` is for the widths that bars and boxes
 * carry as attributes.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Devices that Grove has no use for, and what sends something by itself. Chromium knows each. */
const REFUSED_FEATURES = [
  'camera',
  'microphone',
  'geolocation',
  'usb',
  'serial',
  'hid',
  'midi',
  'payment',
  'display-capture',
  'deferred-fetch',
  'deferred-fetch-minimal',
  'browsing-topics',
  'identity-credentials-get',
  'private-state-token-issuance',
  'private-state-token-redemption',
];

/** @type {Readonly<Record<string, string>>} */
export const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  // Cross-origin isolation, so that WebAssembly may use threads. `credentialless` lets a fetch with
  // CORS through to an endpoint that sends no CORP header of its own.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'credentialless',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'permissions-policy': REFUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
};

/** @type {Readonly<Record<string, string>>} */
export const MEDIA_TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.pfb': 'application/octet-stream',
  '.bcmap': 'application/octet-stream',
  '.icc': 'application/vnd.iccprofile',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * The headers of one path. The service worker's own `connect-src` is open: it is what lets requests out.
 *
 * @param {string} path
 * @returns {Readonly<Record<string, string>>}
 */
export function headersFor(path) {
  if (path !== '/service-worker.js') return SECURITY_HEADERS;
  return {
    ...SECURITY_HEADERS,
    'content-security-policy': CONTENT_SECURITY_POLICY.replace(
      "connect-src 'self'",
      "connect-src 'self' http: https:",
    ),
  };
}
