import { look } from "@pawl/adapters-s3/BucketLook"
import type { S3Options } from "@pawl/adapters-s3/BucketAddress"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as AnswerProxy from "./AnswerProxy.ts"
import { makeBucket, optionsOf, withStore } from "./Buckets.ts"
import * as S3Server from "./S3Server.ts"

const missing = S3Server.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

describe.skipIf(missing !== null)("A look at a bucket, on radosgw", () => {
  let server: S3Server.S3Server
  let options: S3Options
  beforeAll(async () => {
    server = await S3Server.start()
    options = await makeBucket(server, { root: "deep/" })
  })
  afterAll(() => server?.stop())

  const lacksOf = async (answer: Parameters<typeof AnswerProxy.start>[1]) => {
    const proxy = await AnswerProxy.start(server.address, answer)
    try {
      return (await Effect.runPromise(look({ ...options, endpoint: proxy.endpoint }))).lacks
    } finally {
      await proxy.close()
    }
  }

  it("finds nothing lacking, and leaves nothing behind", async () => {
    expect(await Effect.runPromise(look(options))).toEqual({
      does: ["put and get", "head", "range", "conditional put", "copy", "list", "delete"],
      lacks: []
    })
    await withStore(options, (store) => Effect.map(store.list(""), (found) => expect(found).toEqual([])))
  })

  it("says what keeps it from looking", async () => {
    expect(await Effect.runPromise(look(optionsOf(server, { bucket: "no-such-bucket" })))).toEqual({
      does: [],
      lacks: ["put and get: there is no bucket no-such-bucket"]
    })
  })

  it("names what a server ignores: conditions, ranges, the order of a list", async () => {
    expect(
      await lacksOf(async (_, send) => {
        const answer = await send()
        return answer.status === 412 ? { ...answer, status: 200, body: Buffer.from("") } : answer
      })
    ).toEqual(["conditional put: If-None-Match is ignored: the second of two writers overwrites"])
    expect(
      await lacksOf(async (_, send) => {
        const answer = await send()
        const { ["content-range"]: __, ...headers } = answer.headers
        return answer.status === 206 ? { ...answer, status: 200, headers } : answer
      })
    ).toEqual(["range: RangeIgnored"])
    expect(
      await lacksOf(async (asked, send) => {
        const answer = await send()
        if (!asked.url.includes("list-type=2")) return answer
        const [start, ...entries] = String(answer.body).split("<Contents>")
        if (entries.length < 3) return answer
        const last = entries.at(-1)!
        const tail = last.slice(last.indexOf("</Contents>") + "</Contents>".length)
        const turned = entries.map((each) => each.slice(0, each.indexOf("</Contents>"))).toReversed()
        const body = `${start}${turned.map((each) => `<Contents>${each}</Contents>`).join("")}${tail}`
        return { ...answer, body: Buffer.from(body) }
      })
    ).toEqual(["list: keys are not listed by their code points, or not all of them"])
  })

  it("names what a server does not know", async () => {
    const unknown = "the server does not know this request: what Pawl needs of S3 is missing there"
    expect(
      await lacksOf(async (asked, send) =>
        asked.headers["x-amz-copy-source"] !== undefined || asked.method === "POST"
          ? AnswerProxy.notImplemented
          : send()
      )
    ).toEqual([`copy: ${unknown}`, `delete: ${unknown}`])
  })
})
