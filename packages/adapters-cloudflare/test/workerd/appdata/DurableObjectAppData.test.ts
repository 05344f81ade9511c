/** The contract of AppData with an object for each store, in workerd, the pointer rows in another object; and what a wipe leaves. */
import { runInDurableObject } from "cloudflare:test"
import { AppData, type DataStoreRef } from "@pawl/core/app/AppData"
import { isOpenTo } from "@pawl/core/app/DataBounds"
import { find } from "@pawl/core/ledger/Decision"
import type { Records } from "@pawl/core/ledger/Records"
import { pointerKey } from "@pawl/core/model/Entities"
import { appDataContract } from "@pawl/testing/contracts/apps/AppDataContract"
import { type Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as DurableObjectAppData from "../../../src/appdata/DurableObjectAppData.ts"
import { bound } from "../kit/Bound.ts"
import { insideObjects } from "../kit/Inside.ts"

const { stores, within } = insideObjects("appdata")
let worlds = 0

/** As a Project's object answers: from its own rows. */
const mayWrite =
  (records: Context.Context<Records>): DurableObjectAppData.Options["mayWrite"] =>
  (project, channel, incarnation) =>
    Effect.runPromiseWith(records)(
      Effect.map(
        Effect.all([find("pointer", pointerKey(project, channel)), find("pointer", pointerKey(project, "production"))]),
        ([own, production]) => isOpenTo(incarnation, own?.record, production?.record)
      )
    )

const inObjects = Layer.effect(
  AppData,
  Effect.map(Effect.context<Records>(), (records) => {
    const world = worlds++
    return DurableObjectAppData.make({
      store: (name) => bound.DATA.getByName(`${world} ${name}`),
      mayWrite: mayWrite(records)
    })
  })
)

appDataContract("Durable Objects", { within, layer: Layer.provideMerge(inObjects, stores) })

describe("A store of app data in an object of its own", () => {
  const ref: DataStoreRef = { project: "p", channel: "production" }
  const from = (incarnation: number): DataStoreRef => ({ ...ref, incarnation })

  /** A store, and the questions that it has asked: each is answered when the test says so. */
  const made = () => {
    const world = `alone ${worlds++}`
    /** A stub does not outlive the object that it reached. */
    const object = () => bound.DATA.getByName(`${world} p/production`)
    const asked: Array<(may: boolean) => void> = []
    let wake = (): void => undefined
    const data = DurableObjectAppData.make({
      store: object,
      mayWrite: () =>
        new Promise((resolve) => {
          asked.push(resolve)
          wake()
        })
    })
    /** The nth question that was asked, from 0. */
    const question = async (nth: number): Promise<(may: boolean) => void> => {
      while (asked[nth] === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return asked[nth]
    }
    const tables = () =>
      runInDurableObject(object(), (_, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'pawl%'").toArray()
      )
    return { data, object, asked, question, tables }
  }
  const run = Effect.runPromise

  it("takes no write whose app was removed and wiped after it was told that it may", async () => {
    const { data, question, tables } = made()
    await run(data.put(ref, "k", "v"))
    const late = run(Effect.flip(data.put(from(1), "late", "v")))
    const said = await question(0)
    await run(data.wipe(ref))
    said(true)
    // Asked anew, the Project knows that the app is removed.
    const again = await Promise.race([question(1), late])
    if (typeof again === "function") again(false)
    expect(await late).toMatchObject({ _tag: "DataRefused", limit: "removed" })
    expect(await tables()).toEqual([])
  })

  it("is not emptied of the next app's data by a wipe that comes late", async () => {
    const { data, object } = made()
    await run(data.put(ref, "k", "first"))
    const life = await object().fence()
    await run(data.wipe(ref))
    await run(data.put(ref, "k", "next"))
    await object().erase(life!)
    expect(await run(data.get(ref, "k"))).toBe("next")
    await run(data.wipe(ref))
    expect(await run(data.get(ref, "k"))).toBe(null)
  })

  it("leaves no table behind when it was wiped, nor when it was read and refused alone", async () => {
    const { data, tables } = made()
    const only = Effect.gen(function* () {
      expect(yield* data.get(ref, "k")).toBe(null)
      expect(yield* data.list(ref, {})).toEqual({ keys: [], complete: true })
      yield* data.remove(ref, "k")
      yield* Effect.flip(data.put(ref, "k".repeat(600), ""))
    })
    await run(only)
    expect(await tables()).toEqual([])
    await run(data.put(ref, "k", "v"))
    expect(await tables()).not.toEqual([])
    await run(data.wipe(ref))
    await run(only)
    expect(await tables()).toEqual([])
  })

  it("is wiped by the next try when it was gone in the middle of one", async () => {
    const { data, object, tables } = made()
    await run(data.put(ref, "k", "v"))
    const dying = DurableObjectAppData.make({
      store: () => ({
        read: (call) => object().read(call),
        write: (call, incarnation, may) => object().write(call, incarnation, may),
        fence: () => object().fence(),
        erase: () => runInDurableObject(object(), (_, state) => state.abort("gone"))
      }),
      mayWrite: () => Promise.resolve(true)
    })
    expect(await run(Effect.flip(dying.wipe(ref)))).toMatchObject({ _tag: "AppDataUnavailable" })
    expect(await run(data.get(ref, "k"))).toBe("v")
    await run(data.wipe(ref))
    expect(await tables()).toEqual([])
  })

  it("asks once for all writes that came before it asked, and again for those that came after", async () => {
    const { asked, data, question } = made()
    const first = run(data.put(from(1), "first", "v"))
    const said = await question(0)
    const others = Array.from({ length: 16 }, (_, nth) => run(data.put(from(1), `k${nth}`, "v")))
    // All are at the store before the first is answered: a read that comes after them is.
    await run(data.get(ref, "k"))
    said(true)
    await first
    const once = await question(1)
    once(true)
    await Promise.all(others)
    expect(asked).toHaveLength(2)
    expect((await run(data.list(ref, {}))).keys).toHaveLength(17)
  })
})
