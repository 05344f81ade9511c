import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const root = import.meta.dirname

// Tests run the sources themselves, through the `pawl-source` condition of every package's exports.
// "import" is not among them: Node would apply it to `require` too, and `pg` requires its pool.
const conditions = ["pawl-source", "node", "module", "default"]

const packages = readdirSync(join(root, "packages")).map((name) => ({ name, folder: join(root, "packages", name) }))
const others = ["tools", "examples", "docs"].map((name) => ({ name, folder: join(root, name) }))
const projects = [...packages, ...others].filter(({ folder }) => existsSync(join(folder, "test")))

export default defineConfig({
  test: {
    reporters: ["default", join(root, "tools/vitest/SkipReporter.ts")],
    projects: projects.map(({ name, folder }) => ({
      resolve: { conditions },
      ssr: { resolve: { conditions } },
      test: {
        name,
        root: folder,
        include: ["test/**/*.test.ts"],
        testTimeout: 60_000,
        hookTimeout: 60_000
      }
    }))
  }
})
