/** Which bundler apps are built with. */

/** The bundler the app is built with; the packages pin it, wherever it runs. */
export const bundler = { name: "esbuild", version: "0.28.2" }
