/** The raw parts of taking the shop's edit live, run by hand one after the other. */
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as GitRepositories from "@pawl/adapters-local/repositories/GitRepositories"
import * as LocalSandbox from "@pawl/adapters-local/sandbox/LocalSandbox"
import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { type ProjectId, runId, taskId, workspaceFork } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { Repositories } from "@pawl/core/project/Repositories"
import { Effect, Layer, ManagedRuntime } from "effect"
import { timed } from "../Rounds.ts"
import * as Apps from "./Apps.ts"
import { gitDirOf, mergeByHand } from "./RawGit.ts"
import { build, type Shop, type Tree, treeOf } from "./Shop.ts"

const uuid = "00000000-0000-4000-8000-000000000003"
const project: ProjectId = `proj_${uuid}`
const workspace = { project, fork: workspaceFork(runId(taskId(`chg_${uuid}`, "edit-1"), 1)) }
const signature = { name: "Bench", email: "bench@localhost", atMs: 1_900_000_000_000 }
const bundler = fileURLToPath(new URL("./BundleByHand.ts", import.meta.url))

export const partNames = ["merge", "build", "test", "first response"] as const
export type Parts = Readonly<Record<(typeof partNames)[number], number>>

export interface ShopByHand {
  /** Runs the parts once and answers the milliseconds of each. */
  readonly run: (round: number) => Promise<Parts>
  readonly dispose: () => Promise<void>
}

const writeTree = (folder: string, tree: Tree): void => {
  for (const [path, { content }] of tree) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** The shop's own check, under the bounds that a check has. */
const test = (files: Tree, round: number) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const handle = yield* sandbox.start({
      id: `bench-${round}`,
      command: "node --test",
      files,
      environment: { CI: "true", PAWL: "true" },
      limits: {
        wallMs: 60_000,
        cpuSeconds: Limits.checkCpuSeconds,
        memoryBytes: Limits.checkMemoryBytes,
        processes: Limits.checkProcesses,
        diskBytes: Limits.checkDiskBytes,
        outputBytes: Limits.checkOutputBytes
      }
    })
    const state = yield* Effect.repeat(sandbox.poll(handle, 1000), { until: (polled) => polled._tag === "Finished" })
    const passed =
      state._tag === "Finished" && state.result.outcome._tag === "Exited" && state.result.outcome.code === 0
    if (!passed) throw new Error(`the shop's tests did not pass: ${JSON.stringify(state)}`)
    yield* sandbox.cancel(handle)
  })

/** The shop in git: seeded, and the edit as a ChangeSet in a fork. */
const seed = ({ edit, template }: Shop) =>
  Effect.gen(function* () {
    const repositories = yield* Repositories
    const base = yield* repositories.seed({ project, files: template, message: "seed", signature })
    yield* repositories.begin({ project, commit: base.commit })
    yield* repositories.fork(workspace)
    const options = { into: workspace, base: base.commit, edits: edit, message: "edit", signature }
    return { base: base.commit, theirs: (yield* repositories.commit(options)).commit }
  })

export const prepareShop = async (folder: string, shop: Shop): Promise<ShopByHand> => {
  const [repositories, hosts, source] = [join(folder, "repositories"), join(folder, "run"), join(folder, "source")]
  const tree = treeOf(shop)
  writeTree(source, tree)
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(Apps.layer(hosts), LocalSandbox.layer(), GitRepositories.layer({ directory: repositories }))
  )
  const { base, theirs } = await runtime.runPromise(seed(shop))
  const gitDir = gitDirOf(repositories, workspace)
  const version = await runtime.runPromise(
    Effect.flatMap(
      Effect.promise(() => build(tree)),
      Apps.install
    )
  )
  // What isolates was proved, and the pool was started, before anything is measured.
  await runtime.runPromise(Effect.flatMap(Sandbox, (sandbox) => sandbox.isolation))
  const visit = async (name: string): Promise<void> => {
    const { status, text } = await runtime.runPromise(Apps.get(version(name), "/hours"))
    if (status !== 200 || !text.includes("Opening hours")) throw new Error(`the shop answered ${status}`)
  }
  const stop = (name: string) =>
    runtime.runPromise(Effect.flatMap(AppRuntime, (appRuntime) => appRuntime.stop(version(name).id)))
  await visit("first")
  await stop("first")

  const run = async (round: number): Promise<Parts> => {
    const out = join(folder, "out", `${round}.js`)
    await Apps.untilPoolIsFull(hosts)
    const parts = {
      merge: await timed(() => mergeByHand(gitDir, base, theirs, `by hand ${round}`)),
      build: await timed(() => promisify(execFile)(process.execPath, [bundler, source, "src/index.ts", out])),
      test: await timed(() => runtime.runPromise(test(tree, round))),
      "first response": await timed(() => visit(`round-${round}`))
    }
    await stop(`round-${round}`)
    return parts
  }
  return { run, dispose: () => runtime.dispose() }
}
