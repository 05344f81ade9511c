import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AppBuilder } from "@pawl/core/bundle/AppBuilder"
import { layer } from "@pawl/adapters-cloudflare/builder/RemoteAppBuilder"
import { sourceAnswers } from "@pawl/adapters-cloudflare/builder/SourceAnswers"
import { app, appBuilderContract, buildJob, buildOnce } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { bound } from "../kit/Bound.ts"

let worlds = 0
/** Builds of this suite are objects of their own. */
const here = (commands = true) => {
  const world = worlds++
  return layer({ build: (id) => bound.BUILDER.getByName(`${world}-${id}`), sources: sourceAnswers(commands) })
}

appBuilderContract("RemoteAppBuilder", { layer: here() })

const run = <A, E>(effect: Effect.Effect<A, E, AppBuilder>, commands = true) =>
  Effect.runPromise(Effect.provide(effect, here(commands)))

describe("RemoteAppBuilder", () => {
  it("tells in its words what the builder cannot do", async () => {
    const packages = { id: "layer" } as NonNullable<ReturnType<typeof buildJob>["packages"]>
    expect(await run(Effect.flip(buildOnce(buildJob(app, { packages }))))).toMatchObject({
      _tag: "BuilderUnavailable",
      reason: "the packages of the lock file are not kept here now"
    })
  })

  it("tells a builder that cannot be asked from a build that failed, and cancels there without complaint", async () => {
    const replaced = () => Promise.reject(new Error("the script is being replaced"))
    const away = layer({
      build: () => {
        throw new Error("the script is being replaced")
      },
      sources: { ...sourceAnswers(true), assetsFolder: replaced, commandOf: replaced }
    })
    const { cancelled, failed, unread } = await Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const builder = yield* AppBuilder
          const failed = yield* Effect.flip(builder.start(buildJob(app)))
          const { files } = buildJob({ "pawl.json": "{}" })
          const settings = new Map([["wrangler.json", files.get("pawl.json")!.content]])
          const unread = [
            yield* Effect.flip(builder.commandOf(files)),
            yield* Effect.flip(builder.assetsFolder({ settings, folders: new Set() }))
          ]
          return { failed, unread, cancelled: yield* builder.cancel({ id: "build-1" }) }
        }),
        away
      )
    )
    for (const each of [failed, ...unread])
      expect(each).toMatchObject({ _tag: "BuilderUnavailable", reason: "the script is being replaced" })
    expect(cancelled).toBeUndefined()
  })

  it("refuses a source that no message holds, in the builder's words", async () => {
    const large = new Uint8Array(33 * 1024 * 1024)
    const refused = { _tag: "Refused", problems: [{ code: "source_bytes_over_limit", message: expect.any(String) }] }
    expect(await run(buildOnce(buildJob({ ...app, "public/large.bin": large })))).toMatchObject(refused)
    const generated = buildJob({ "dist/large.bin": large }).files
    expect(await run(buildOnce(buildJob(app, { generated })))).toMatchObject(refused)
  })

  it("refuses a build command where nothing runs it", async () => {
    const { files } = buildJob({ "pawl.json": JSON.stringify({ build: { command: "make", output: "dist" } }) })
    const found = await run(
      Effect.flatMap(AppBuilder, (builder) => builder.commandOf(files)),
      false
    )
    expect(found).toMatchObject({ _tag: "Refused", problems: [{ code: "build_command_unavailable" }] })
  })
})
