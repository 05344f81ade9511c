import { once } from "node:events"
import { createServer as createWebServer } from "node:http"
import { type AddressInfo, createServer, type Server } from "node:net"
import { look } from "@pawl/adapters-s3/BucketLook"
import type { S3Options } from "@pawl/adapters-s3/BucketAddress"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as AnswerProxy from "./AnswerProxy.ts"
import { allow, makeBucket, optionsOf, withStore } from "./Buckets.ts"
import * as S3Server from "./S3Server.ts"

const missing = S3Server.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

/** A server of something else, at its port. */
const withPort = async <A>(server: Server, use: (port: number) => Promise<A>): Promise<A> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    return await use((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

describe("A look at what is no bucket", () => {
  const lacksAt = async (endpoint: string) => {
    const credentials = { accessKeyId: "a", secretAccessKey: Redacted.make("b"), sessionToken: null }
    const place = { bucket: "some-bucket", root: "" }
    return (
      await Effect.runPromise(look({ ...place, endpoint, region: "us-east-1", pathStyle: true, credentials }))
    ).lacks.join()
  }

  it.each([404, 400, 502])("says so of a web server that answers %s", async (status) => {
    const web = createWebServer((asked, answer) => {
      asked.resume()
      answer.writeHead(status, { "content-type": "text/html" }).end("<html><body>no")
    })
    expect(await withPort(web, (port) => lacksAt(`http://127.0.0.1:${port}`))).toBe(
      `put and get: an answer without words of S3's (status ${status}): is there a server of S3 at the endpoint?`
    )
  })

  it("says so of one that speaks no TLS, and of one that speaks no HTTP", async () => {
    const other = createServer((socket) => socket.on("error", () => undefined).write("SSH-2.0-other\r\n"))
    const [plain, secure] = await withPort(other, (port) =>
      Promise.all([lacksAt(`http://127.0.0.1:${port}`), lacksAt(`https://127.0.0.1:${port}`)])
    )
    expect(plain).toBe("put and get: what listens at the endpoint speaks no HTTP")
    expect(secure).toContain("speaks no TLS that this machine knows: is it http://?")
  })
})

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
      lacks: [],
      isForbidden: false
    })
    await withStore(options, (store) => Effect.map(store.list(""), (found) => expect(found).toEqual([])))
  })

  it("says what keeps it from looking", async () => {
    expect(await Effect.runPromise(look(optionsOf(server, { bucket: "no-such-bucket" })))).toEqual({
      does: [],
      lacks: ["put and get: there is no bucket no-such-bucket"],
      isForbidden: false
    })
  })

  it("tells what the credentials may not do from what the server cannot", async () => {
    const { accessKeyId, secretAccessKey } = await server.addUser("half")
    const half: S3Options = {
      ...options,
      credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey), sessionToken: null }
    }
    const words = `these credentials may not do that at s3://${options.bucket}/deep/`
    expect(await Effect.runPromise(look(half))).toEqual({
      does: [],
      lacks: [`put and get: ${words}`],
      isForbidden: true
    })
    await allow(server, options.bucket, "half", {
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Action: ["s3:GetObject", "s3:PutObject"],
          Resource: `arn:aws:s3:::${options.bucket}/deep/*`
        }
      ]
    })
    const { does, isForbidden, lacks } = await Effect.runPromise(look(half))
    expect([does, isForbidden]).toEqual([["put and get", "range", "conditional put", "copy"], true])
    expect(lacks).toEqual(["head", "list", "delete"].map((name) => `${name}: ${words}`))
    await withStore(options, (store) => store.removePrefix("doctor/"))
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
