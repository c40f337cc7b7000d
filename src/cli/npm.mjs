import { spawn } from 'node:child_process';

/**
 * Runs a program with its output on this terminal; resolves to its exit code. No shell, so that a
 * path with spaces is one argument everywhere.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>}
 */
export function run(program, parameters, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      stdio: 'inherit',
      env: { ...process.env, ...options.env },
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}

/**
 * Runs a program as `run` does, and hands over what it says once it ends, so that several can run at a
 * time without their lines being mixed.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 * @returns {Promise<{ code: number, said: string }>}
 */
export function runQuietly(program, parameters) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece) => (said += piece));
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, said }));
  });
}

/**
 * Runs npm itself: through Node where npm started us (on Windows `npm` is a script that cannot be
 * spawned without a shell), else by name.
 *
 * @param {readonly string[]} parameters
 * @returns {Promise<number>}
 */
export function npm(parameters) {
  const script = process.env['npm_execpath'];
  return script !== undefined && /\.c?js$/u.test(script)
    ? run(process.execPath, [script, ...parameters])
    : run('npm', parameters);
}
