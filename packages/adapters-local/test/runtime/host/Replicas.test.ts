import { AppOverLimit, AppThrew } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { BytesBody } from "@pawl/router/Body"
import { describe, expect, it } from "vitest"
import { AppCall } from "../../../src/runtime/AppCall.ts"
import { UploadRoom } from "../../../src/runtime/wire/HeldUpload.ts"
import { Replicas } from "../../../src/runtime/host/Replicas.ts"

const version = { id: "p@1", project: "p", channel: "production", bundleKey: "k", bundleDigest: "d" }
const visits = LocalLimits.appCrashBurst + 5

/** What visitors of an app are told whose every start ends so, and how often it was started. */
const visited = async (end: () => Error) => {
  let starts = 0
  const replicas = new Replicas(
    version,
    () => {
      starts += 1
      return Promise.reject(end())
    },
    new UploadRoom()
  )
  const told: Array<unknown> = []
  for (let visit = 0; visit < visits; visit += 1)
    told.push(await new Promise((tell) => replicas.ask({ give: () => tell("a process"), refuse: tell })))
  return { starts, told }
}

describe("an app that cannot start", () => {
  it("is not started for every visitor, and each is told what it threw", async () => {
    const { starts, told } = await visited(() => new AppThrew({ version: version.id, reason: "Error: at the top" }))
    expect(starts).toBe(LocalLimits.appCrashBurst)
    for (const one of told) expect(one).toMatchObject({ _tag: "AppThrew", reason: "Error: at the top" })
  })

  it("is not started for every visitor when it loops", async () => {
    const { starts, told } = await visited(
      () => new AppOverLimit({ version: version.id, limit: "cpu", retryAfterSeconds: 1 })
    )
    expect(starts).toBe(LocalLimits.appCrashBurst)
    expect(told.map((one) => one instanceof AppOverLimit && one.limit)).toEqual([
      ...new Array(LocalLimits.appCrashBurst).fill("cpu"),
      ...new Array(visits - LocalLimits.appCrashBurst).fill("crash_loop")
    ])
  })

  it("goes after others once it has died", async () => {
    const low: Array<boolean> = []
    const replicas = new Replicas(
      version,
      (_, manner) => {
        low.push(manner.low)
        return Promise.reject(new AppThrew({ version: version.id, reason: "Error: at the top" }))
      },
      new UploadRoom()
    )
    for (let visit = 0; visit < 3; visit += 1)
      await new Promise((tell) => replicas.ask({ give: () => tell("a process"), refuse: tell }))
    expect(low).toEqual([false, true, true])
  })

  it("is tried for each visitor while it is the machine that has no room", async () => {
    const { starts } = await visited(
      () => new AppOverLimit({ version: version.id, limit: "busy", retryAfterSeconds: 1 })
    )
    expect(starts).toBe(visits)
  })
})

describe("a visitor who waits for a process", () => {
  it("leaves nothing reserved for a body when they leave", async () => {
    const room = new UploadRoom()
    const replicas = new Replicas(version, () => new Promise(() => undefined), room)
    const body = new BytesBody(new Uint8Array(1024))
    const headers = [["content-length", "1024"] as const]
    const call = new AppCall(
      replicas,
      { method: "POST", url: "http://shop.localhost/", headers, body },
      () => undefined
    )
    call.run()
    await new Promise((resolve) => setImmediate(resolve))
    expect(room.reserve(LocalLimits.appUploadsBytes)).toBe(false)
    call.abort()
    expect(room.reserve(LocalLimits.appUploadsBytes)).toBe(true)
  })
})
