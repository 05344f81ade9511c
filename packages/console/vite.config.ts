/** How the console is bundled. `tools/build/Console.ts` runs this, and packs what comes of it. */
import { defineConfig } from "vite"

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  publicDir: false,
  build: {
    target: ["chrome123", "firefox120", "safari17.5"],
    outDir: "dist",
    emptyOutDir: true,
    // Served under `/console/`, and for ever: each name has a digest of what is in it.
    assetsDir: "console",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    license: { fileName: "LICENSES.md" },
    reportCompressedSize: false,
    rolldownOptions: {
      // The parts that screens are made of are so small that a file for each would be mostly its name. Not what has styles: their order is that of the page.
      output: {
        codeSplitting: { groups: [{ name: "ui", test: /console\/src\/ui\/(?!Segments)\w+\.tsx?$/, minShareCount: 2 }] }
      },
      // Libraries say of their files that they are for browsers: all of this is.
      onwarn: (warning, warn) => {
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning)
      }
    }
  }
})
