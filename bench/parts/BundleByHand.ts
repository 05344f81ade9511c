/** esbuild alone, in a fresh process: `node BundleByHand.ts <folder> <main> <out>`, with the options that Pawl builds with. */
import { build } from "esbuild"

const [folder = "", main = "", out = ""] = process.argv.slice(2)
await build({
  absWorkingDir: folder,
  entryPoints: [main],
  outfile: out,
  bundle: true,
  metafile: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  mainFields: ["module", "main"],
  conditions: ["workerd", "worker", "browser"],
  define: { "process.env.NODE_ENV": '"production"' },
  tsconfigRaw: "{}",
  sourcemap: false,
  logLevel: "silent"
})
