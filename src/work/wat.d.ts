/** The bytes of a compiled WebAssembly module (src/cli/wat-plugin.mjs). */
declare module '*.wat' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
