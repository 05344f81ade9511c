import * as fc from "fast-check"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cookieCases } from "./CookieCases.ts"
import { CookieJar } from "./CookieJar.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

/** Sets the cookies that a POST tells it, one list as JSON, and answers a GET with the cookies it was sent. */
const app = `export default {
  async fetch(request) {
    const headers = new Headers()
    if (request.method === "POST") for (const cookie of await request.json()) headers.append("set-cookie", cookie)
    return Response.json(request.headers.get("cookie"), { headers })
  }
}
`

interface Seen {
  readonly status: number
  /** Every `Set-Cookie`, as bytes. */
  readonly set: ReadonlyArray<string>
  /** What the app got as `Cookie`; null: nothing. */
  readonly got: string | null
}

/** One exchange over a socket, header lines and all. */
const exchange = (port: number, host: string, cookie: string, set?: ReadonlyArray<string>): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const body = set === undefined ? "" : JSON.stringify(set)
    const line = set === undefined ? "GET /cookies" : "POST /"
    const sent = cookie === "" ? "" : `Cookie: ${cookie}\r\n`
    const head = `${line} HTTP/1.1\r\nHost: ${host}\r\n${sent}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]))
    )
    let received = ""
    socket.on("data", (data) => (received += data.toString("latin1")))
    socket.on("error", reject)
    socket.on("close", () => {
      const end = received.indexOf("\r\n\r\n")
      const lines = received.slice(0, end).split("\r\n")
      const status = Number(lines[0]?.split(" ")[1])
      const answer = received.slice(end).match(/(null|"(?:[^"\\]|\\.)*")/)?.[0] ?? "null"
      resolve({
        status,
        set: lines.filter((each) => /^set-cookie:/i.test(each)).map((each) => each.slice("set-cookie: ".length)),
        got: status === 200 ? (JSON.parse(Buffer.from(answer, "latin1").toString()) as string | null) : null
      })
    })
  })

describe("Cookies through the real router, to and from real apps", () => {
  const folder = temporaryFolder()
  const hosts = ["jar.apps.localhost", "other.apps.localhost"] as const
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
    for (const slug of ["jar", "other"]) {
      const project = await Flow.createProject(server.api, slug, Flow.source("one", { "src/index.js": app }))
      await Flow.liveApp(server.api, project.id, 0)
    }
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it.each(cookieCases)("come back as a user agent reads them: %s, %j", async (_id, set, back) => {
    const jar = new CookieJar()
    const answer = await exchange(server.port, hosts[0], "", set)
    expect(answer.status).toBe(200)
    for (const each of answer.set) {
      expect(each).toMatch(/^rba_[^=]/)
      jar.take(hosts[0], each)
    }
    const seen = await exchange(server.port, hosts[0], jar.cookieFor(hosts[0], "/cookies"))
    expect(seen.got ?? "").toBe(back)
    expect((await exchange(server.port, hosts[1], jar.cookieFor(hosts[1], "/cookies"))).got).toBe(null)
  })

  const name = fc.oneof(
    fc.stringMatching(/^[!#$%&'*+.^_`|~0-9a-zA-Z-]{1,8}$/),
    fc.constantFrom("rba_a", "__session", "__Host-a", "__client_uat", "a", "b", " ", "")
  )
  const value = fc.oneof(
    fc.stringMatching(/^[\x20-\x7e]{0,12}$/),
    fc.constantFrom('"', '"a;b"', "=", "a=b", ",", "\x80\xff", "rba_x=1")
  )
  const attribute = fc.oneof(
    fc.constantFrom(
      "; Path=/",
      "; HttpOnly",
      "; Domain=apps.localhost",
      "; domain",
      ";\tDOMAIN = localhost",
      "; Max-Age=60",
      ";",
      "; SameSite=Lax",
      "; a=Domain=x"
    ),
    fc.stringMatching(/^[\x20-\x7e]{0,10}$/).map((text) => `; ${text}`)
  )
  const cookie = fc
    .tuple(name, value, fc.array(attribute, { maxLength: 3 }))
    .map(([key, each, rest]) => `${key}=${each}${rest.join("")}`)
  const foreign = fc
    .tuple(name, fc.stringMatching(/^[a-z]{0,6}$/))
    .map(([key, each]) => `${key}=${each}`)
    .filter((each) => !each.trim().startsWith("rba_"))

  it("of one host never reach another, in or out, whatever apps set and whatever else is in the jar", async () => {
    const step = fc.tuple(
      fc.constantFrom(...hosts),
      fc.array(cookie, { minLength: 1, maxLength: 4 }),
      fc.array(foreign, { maxLength: 3 })
    )
    for (const [at, steps] of fc
      .sample(fc.array(step, { minLength: 3, maxLength: 5 }), { numRuns: 25, seed: 8 })
      .entries()) {
      const jar = new CookieJar()
      const own = { [hosts[0]]: new Set<string>(), [hosts[1]]: new Set<string>() }
      for (const [host, set, others] of steps) {
        const answer = await exchange(server.port, host, "", set)
        for (const each of answer.set) {
          expect(each, `history ${at}`).toMatch(/^rba_[^=]/)
          expect(
            each
              .split(";")
              .slice(1)
              .map((part) => part.split("=")[0]!.trim().toLowerCase())
          ).not.toContain("domain")
          jar.take(host, each)
          own[host].add(Buffer.from(each.split(";")[0]!.slice("rba_".length), "latin1").toString())
        }
        for (const asked of hosts) {
          const sent = [...others, jar.cookieFor(asked, "/cookies"), ...others].filter((each) => each !== "").join("; ")
          const { got, status } = await exchange(server.port, asked, sent)
          expect(status).toBe(200)
          const strangers = (got ?? "")
            .split("; ")
            .filter((each) => each !== "" && ![...own[asked]].some((mine) => mine.trim() === each.trim()))
          expect(strangers, `history ${at}: ${sent}`).toEqual([])
        }
      }
    }
  })

  it("over every bound are refused with 431 and a reason, and the app goes on", async () => {
    expect((await exchange(server.port, hosts[0], `rba_a=${"x".repeat(20_000)}`)).status).toBe(431)
    expect((await exchange(server.port, hosts[0], `rba_a=${"x".repeat(8000)}`)).got).toBe(`a=${"x".repeat(8000)}`)
  })
})
