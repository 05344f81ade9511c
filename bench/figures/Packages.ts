/** Installing, building and releasing the template `react`, beside npm and its own tools by hand. */
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { DemoApi } from "@pawl/server/node/demo/DemoApi"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import { startRegistry } from "../../packages/server/test/e2e/kit/Registry.ts"
import { startServer } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { type Bench, figure, ratioAtMost, valueAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { bundleWorker, npmCi, openPackages, openSandbox, prepareFolder, readReact, writeTree } from "../parts/React.ts"
import { takeLive } from "../parts/ReactOnServer.ts"
import type { Tree } from "../parts/Shop.ts"
import { across, inTurn, lastly, median, timed, worst } from "../Rounds.ts"

const projects = 50
/** A build by hand differs from the next by a tenth: fewer pairs do not show a difference of a few hundredths. */
const leastPairs = 15

/** The template as another Project would have it: another name, the same packages. */
const renamed = (tree: Tree, name: string): Tree => {
  const texts = new Map(tree)
  for (const path of ["package.json", "package-lock.json"]) {
    const text = Buffer.from(tree.get(path)?.content ?? []).toString()
    texts.set(path, {
      content: Buffer.from(text.replaceAll('"name": "react"', `"name": "${name}"`)),
      executable: false
    })
  }
  return texts
}

/** What a folder takes on the disk, in bytes; what has several names counts once. */
const diskOf = (folder: string): number => Number(execFileSync("du", ["-s", "-B1", folder]).toString().split("\t")[0])

const installs = async (folder: string, registry: string, rounds: number, say: (text: string) => void) => {
  const tree = await readReact()
  const warm: Array<number> = []
  const sides = {
    pawl: async (round: number): Promise<number> => {
      const packages = await openPackages(join(folder, `store-${round}`), registry)
      const cold = await timed(() => packages.layer(tree))
      warm.push(await timed(() => packages.layer(tree)))
      await packages.dispose()
      return cold
    },
    npm: async (round: number): Promise<number> => {
      const place = join(folder, `npm-${round}`)
      mkdirSync(place)
      writeTree(place, tree)
      return await timed(() => npmCi(place, registry))
    }
  }
  const times = await inTurn<keyof typeof sides, number>(rounds, sides, (progress) => say(`install, ${progress}`))
  return { ...times, warm: warm.slice(1) }
}

const disk = async (folder: string, registry: string) => {
  const tree = await readReact()
  const data = join(folder, "fifty")
  const packages = await openPackages(data, registry)
  await packages.layer(tree)
  const one = diskOf(data)
  for (let n = 1; n < projects; n++) await packages.layer(renamed(tree, `app-${n}`))
  const all = diskOf(data)
  await packages.dispose()
  return { one, all }
}

const buildMs = async (api: DemoApi, projectId: string, name: string): Promise<number> => {
  const change = await Flow.openChange(api, projectId, name)
  await Flow.edit(api, change, { "public/name.txt": name })
  const { id } = await Flow.requestCandidate(api, change)
  const { reason, status } = await Flow.gated(api, id)
  const build = (await Flow.evidence(api, id)).find(({ checkId }) => checkId === "build")
  if (status !== "verified" || build === undefined) throw new Error(`the Candidate is ${status}: ${reason}`)
  return Date.parse(build.finishedAt) - Date.parse(build.startedAt)
}

const builds = async (folder: string, registry: string, rounds: number, say: (text: string) => void) => {
  const tree = await readReact()
  const data = join(folder, "data")
  const server = await startServer({
    data,
    environment: { PAWL_APP_BUILDS_PER_DAY: "100000", PAWL_NPM_REGISTRY: registry }
  })
  const kill = () => void server.child.kill("SIGKILL")
  process.once("exit", kill)
  const own = join(folder, "own")
  const packages = await openPackages(own, registry)
  const { id: layer } = await packages.layer(tree)
  await packages.dispose()
  const sandbox = await openSandbox(own)
  const sources = join(folder, "sources")
  prepareFolder(sources, tree, own, layer)
  // Built alone: nothing else of the Candidate runs beside it.
  const alone = Object.fromEntries(
    [...tree].map(([path, { content }]) => [path, path === "pawl.json" ? onlyBuild : Buffer.from(content).toString()])
  )
  const { id: project } = await Flow.createProject(server.api, "alone", alone)
  await Flow.liveApp(server.api, project, 0)
  const byHand = (name: string, command: string) => timed(() => sandbox.run(name, command, tree, layer))
  const pairs = {
    check: (round: number) => buildMs(server.api, project, `edit-${round}`),
    bare: (round: number) => byHand(`bare-${round}`, "vite build")
  }
  const whole = {
    live: (round: number) => takeLive(server.api, `react-${round}`, alone["index.html"] ?? ""),
    parts: async (round: number) => {
      const commands = ["vite build", "vitest run", "tsc --noEmit"]
      let total = await timed(() => bundleWorker(sources, join(folder, `out-${round}.js`)))
      for (const command of commands) total += await byHand(`${command}-${round}`, command)
      return total
    }
  }
  const told = (progress: string) => say(`build, ${progress}`)
  return await lastly(
    (async () => ({
      ...(await inTurn<keyof typeof pairs, number>(Math.max(rounds, leastPairs), pairs, told)),
      ...(await inTurn<keyof typeof whole, number>(rounds, whole, told))
    }))(),
    async () => {
      await sandbox.dispose()
      await server.stop()
      process.off("exit", kill)
    }
  )
}

const onlyBuild = JSON.stringify({ build: { command: "vite build" }, probes: [{ path: "/", status: 200 }] })

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const registry = await startRegistry()
    return await lastly(
      (async () => {
        const installed = await installs(folder, registry.url, rounds, say)
        const { all, one } = await disk(folder, registry.url)
        const built = await builds(folder, registry.url, rounds, say)
        const ms = (name: string, ours: ReadonlyArray<number>, floor: ReadonlyArray<number>, floorName: string) => ({
          name,
          value: median(ours),
          unit: "ms",
          floor: floorName,
          floorValue: median(floor),
          ratio: across(ours, floor)
        })
        return {
          figures: [
            figure({
              ...ms("install-cold", installed.pawl, installed.npm, "npm ci --ignore-scripts, an empty cache"),
              target: ratioAtMost(1.3)
            }),
            figure({
              ...ms("install-warm", [worst(installed.warm)], [median(installed.pawl)], "the cold install"),
              target: valueAtMost(50, "ms")
            }),
            figure({
              name: "packages-of-50-projects",
              value: all / 2 ** 20,
              unit: "MiB",
              floor: "one Project",
              floorValue: one / 2 ** 20,
              ratio: all / one,
              target: ratioAtMost(1.2)
            }),
            figure({
              ...ms("build-check", built.check, built.bare, "vite build in the same sandbox"),
              target: ratioAtMost(1.15)
            }),
            figure(ms("react-edit-to-live", built.live, built.parts, "its raw parts by hand, summed"))
          ],
          notes: [`Warm installs: ${installed.warm.map((each) => each.toFixed(1)).join(", ")} ms.`]
        }
      })(),
      registry.stop
    )
  })
