import { createServer } from 'vite';
import { ROOT } from '../root.mjs';

/**
 * Serves the sources of this repository as modules, with an empty page to run them in.
 *
 * @returns {Promise<{ page: string, close(): Promise<void> }>} the address of the page
 */
export async function serveModules() {
  const server = await createServer({
    root: ROOT,
    configFile: false,
    appType: 'mpa',
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1', hmr: false },
    plugins: [
      {
        name: 'bench-page',
        configureServer({ middlewares }) {
          middlewares.use('/bench', (_request, response) => {
            response.setHeader('content-type', 'text/html');
            response.end('<!doctype html><title>bench</title>');
          });
        },
      },
    ],
  });
  await server.listen();
  return { page: `${server.resolvedUrls?.local[0] ?? ''}bench`, close: () => server.close() };
}
