/** Scenes of sources with a lock and a build command: a sandbox whose commands leave what a test says. */
import * as MemorySandbox from "@pawl/adapters-memory/MemorySandbox"
import { lockText, layerMemory, type MemoryPackage } from "@pawl/adapters-memory/MemoryPackageStore"
import { AppBuilder } from "@pawl/core/bundle/AppBuilder"
import type { SandboxJob } from "@pawl/core/verification/Sandbox"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as Projects from "@pawl/core/project/Projects"
import { Effect, Layer } from "effect"
import { organizationId, person, settle } from "./MemoryPawl.ts"

export const one: MemoryPackage = { name: "one", version: "1.0.0" }
export const two: MemoryPackage = { name: "two", version: "2.0.0" }
export const manifest = JSON.stringify({ name: "made", dependencies: { one: "^1.0.0" } })

/** A source that makes what it serves, with a package. */
export const made: Readonly<Record<string, string>> = {
  "pawl.json": JSON.stringify({
    checks: [{ id: "test", command: "node --test" }],
    probes: [{ path: "/" }],
    build: { command: "make site", output: "public" }
  }),
  "package.json": manifest,
  "package-lock.json": lockText(manifest, [one]),
  "page.txt": "page"
}

/** What a build command does in a test: by default it leaves a page. */
export interface BuildWorld {
  build: (job: SandboxJob) => MemorySandbox.Scripted
  /** How long each build command takes. */
  takesMs: number
  isThere: boolean
  readonly jobs: Array<SandboxJob>
  /** What the builder was asked for, in order: `expect` with the packages that were there, `start` and `cancel`. */
  readonly asked: Array<string>
}

const text = (job: SandboxJob, path: string): string =>
  new TextDecoder().decode(job.files.get(path)?.content ?? new Uint8Array())

export const makeWorld = (): BuildWorld => ({
  build: (job) => ({
    outcome: { _tag: "Exited", code: 0 },
    left: { "public/index.html": `<p>${text(job, "page.txt")}`, "elsewhere.txt": "no" }
  }),
  takesMs: 0,
  isThere: true,
  jobs: [],
  asked: []
})

/** The builder of `MemoryPawl`, whose calls the world keeps. */
const watchedBuilder = (world: BuildWorld) =>
  Layer.effect(
    AppBuilder,
    Effect.map(AppBuilder, (builder) => {
      const noted = <A>(text: string, then: A): A => {
        world.asked.push(text)
        return then
      }
      return AppBuilder.of({
        ...builder,
        expect: (job) =>
          Effect.suspend(() => {
            const packages = job.packages?.packages.map(({ name }) => name).join()
            return noted(`expect ${packages} while ${world.jobs.at(-1)?.command}`, builder.expect(job))
          }),
        start: (job) => Effect.suspend(() => noted("start", builder.start(job))),
        cancel: (handle) => Effect.suspend(() => noted("cancel", builder.cancel(handle)))
      })
    })
  )

/** The ports of a world, to be provided over those of `MemoryPawl`. */
export const portsOf = (world: BuildWorld) =>
  Layer.mergeAll(
    watchedBuilder(world),
    MemorySandbox.layerMemory((job) => {
      world.jobs.push(job)
      if (job.command !== "make site") return { outcome: { _tag: "Exited", code: 0 } }
      return world.takesMs === 0 ? world.build(job) : Effect.as(Effect.sleep(world.takesMs), world.build(job))
    }),
    layerMemory({ packages: [one, two], isThere: () => world.isThere })
  )

export const madeProject = (files = made, slug = "made") =>
  Effect.flatMap(Projects.create(person, { organizationId, slug, files }), (project) => Effect.as(settle, project))

/** The evidence of a Candidate, by check. */
export const evidenceOf = (candidateId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(
      records.list("evidence", { where: { subject: candidateId }, limit: "all" }),
      ({ items }) => new Map(items.map(({ record }) => [record.checkId, record]))
    )
  )

/** What an app serves at a path of its assets. */
export const served = (projectId: string, path: string) =>
  Effect.gen(function* () {
    const { bundleKey } = (yield* demand("pointer", `${projectId}/production`)).record
    const key = `${(bundleKey ?? "").replace(/bundle\.json$/, "")}assets/${path}`
    return new TextDecoder().decode(yield* (yield* ObjectStore).get(key))
  })
