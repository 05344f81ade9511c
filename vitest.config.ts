import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { availableParallelism } from "node:os"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { childrenCompiled } from "./tools/vitest/Children.ts"
import Order from "./tools/vitest/Order.ts"
import { shownBefore, shownPath } from "./tools/vitest/Shown.ts"
import { turnOf } from "./tools/vitest/Turn.ts"
import { workerdOptions } from "./packages/adapters-cloudflare/test/WorkerdOptions.ts"

const root = import.meta.dirname

// Tests run the sources themselves, through the `pawl-source` condition of every package's exports.
// "import" is not among them: Node would apply it to `require` too, and `pg` requires its pool. Nor is "module": what
// stands there is for bundlers, and the client of S3 has no ECMAScript modules there that Node could load.
const conditions = ["pawl-source", "node", "default"]

const packages = readdirSync(join(root, "packages")).map((name) => ({ name, folder: join(root, "packages", name) }))
const others = ["tools", "examples", "docs"].map((name) => ({ name, folder: join(root, name) }))
const projects = [...packages, ...others].filter(({ folder }) => existsSync(join(folder, "test")))

/** How deep the suites go, for `@pawl/testing/Depth`. */
const turn = turnOf(process.env)

/** What the quick run before has shown is left out. */
const runner = shownBefore(turn, shownPath(process.env)).size > 0 ? join(root, "tools/vitest/LeftOut.ts") : undefined

/** Milliseconds until a test counts as hung: on two cores that are busy a server and its Changes take over a minute. */
const patience = turn.depth === "quick" ? 180_000 : 300_000

const soak = "test/soak/**/*.test.ts"

/** Tests that run inside workerd, with Cloudflare's products beside them. */
const inWorkerd = "test/workerd/**/*.test.ts"

/** As bundlers for Workers resolve packages, sources first. */
const workerConditions = ["pawl-source", "workerd", "worker", "module", "browser", "default"]

/** What a file of theirs leaves in its process ends with it: a Postgres. */
const isolated = new Set(["adapters-pg"])

interface Project {
  readonly name: string
  readonly root: string
  readonly include: Array<string>
  readonly exclude: Array<string>
  /** Projects of a lower one end before those of a higher one begin. */
  readonly order: number
  /** A process for each file. Where it is false, a process goes on with the next file, and what was imported stays. */
  readonly isolate: boolean
}

const project = ({ order, ...rest }: Project) => ({
  plugins: [childrenCompiled()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...rest,
    ...(runner === undefined ? {} : { runner }),
    // MiB for what is young: histories and interleavings make much that dies at once, and are a tenth faster.
    execArgv: ["--min-semi-space-size=16"],
    provide: { pawlDepth: turn },
    sequence: { groupOrder: order },
    testTimeout: patience,
    hookTimeout: patience
  }
})

export default defineConfig({
  test: {
    sequence: { sequencer: Order },
    // Many tests wait for processes more than they compute: some workers more than cores keep the cores busy.
    maxWorkers: availableParallelism() + 4,
    reporters: ["default", join(root, "tools/vitest/SkipReporter.ts")],
    projects: [
      ...projects.map(({ name, folder }) =>
        project({
          name,
          root: folder,
          include: ["test/**/*.test.ts"],
          exclude: [soak, inWorkerd],
          order: 0,
          isolate: isolated.has(name)
        })
      ),
      {
        plugins: [cloudflareTest({ main: "./test/workerd/kit/Objects.ts", miniflare: workerdOptions })],
        resolve: { conditions: workerConditions },
        ssr: { resolve: { conditions: workerConditions } },
        test: {
          name: "workerd",
          root: join(root, "packages/adapters-cloudflare"),
          include: [inWorkerd],
          provide: { pawlDepth: turn },
          sequence: { groupOrder: 0 },
          testTimeout: patience,
          hookTimeout: patience
        }
      },
      // Many apps under load for a while: beside other tests it would only measure those.
      project({
        name: "soak",
        root: join(root, "packages/server"),
        include: [soak],
        exclude: [],
        order: 1,
        isolate: true
      })
    ]
  }
})
