/** Who asks and does not read: what that costs the server, and whom it keeps from being served. */
import { randomBytes } from "node:crypto"
import { readdirSync, readlinkSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { line } from "../../../src/git/PktLine.ts"
import * as Flow from "../kit/Flow.ts"
import { inspectable, settledBytes } from "../kit/ServerMemory.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const MiB = 1024 * 1024

describe("Readers who never read", () => {
  const folder = temporaryFolder()
  const viewers: Array<string> = []
  let server: ServerProcess
  let projectId: string
  let otherId: string
  let changeSetId: string
  let commit: string

  beforeAll(async () => {
    server = await startServer({
      data: join(folder.path, "data"),
      environment: { PAWL_PAUSED: "true", ...inspectable }
    })
    projectId = (
      await Flow.createProject(
        server.api,
        "read-slowly",
        Flow.source("one", { "big.txt": randomBytes(6 * MiB).toString("base64") })
      )
    ).id
    otherId = (await Flow.createProject(server.api, "beside")).id
    const members: Array<{ readonly userId: string; readonly role: string }> = []
    for (const name of ["One", "Two", "Three", "Four"]) {
      const made = await server.api.post<{ user: { id: string }; token: string }>("/v1/users", { name })
      viewers.push(made.token)
      members.push({ userId: made.user.id, role: "viewer" })
    }
    await server.api.put(`/v1/projects/${projectId}/members`, { members })
    const change = await Flow.openChange(server.api, projectId, "long")
    const text = Array.from({ length: 32 * 1024 }, (_, index) => String(index).padStart(255, ".")).join("\n")
    changeSetId = (await Flow.edit(server.api, change, { "long.txt": text })).id
    const found = await server.api.get<{ canonical: { commit: string } }>(`/v1/projects/${projectId}`)
    commit = found.canonical.commit
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const sockets = (): number => {
    const at = `/proc/${server.child.pid}/fd`
    const links = readdirSync(at).map((name) => {
      try {
        return readlinkSync(join(at, name))
      } catch {
        return ""
      }
    })
    return links.filter((link) => link.startsWith("socket:")).length
  }

  /** Asks, and takes nothing. */
  const askOnly = (request: string, body = Buffer.alloc(0)): Socket => {
    const socket = connect(server.port, "127.0.0.1")
    socket.pause()
    socket.on("error", () => undefined)
    socket.write(Buffer.concat([Buffer.from(`${request}\r\nHost: localhost:${server.port}\r\n\r\n`), body]))
    return socket
  }

  /** What is left for one who begins to read when it is too late. */
  const leftFor = (socket: Socket): Promise<number> =>
    new Promise((resolve) => {
      let size = 0
      socket.on("data", (piece: Buffer) => (size += piece.length))
      socket.once("close", () => resolve(size))
      socket.resume()
    })

  const paths = () => [
    ["text/plain", `/v1/changesets/${changeSetId}/diff`],
    ["application/json", `/v1/changesets/${changeSetId}/diff`],
    ["application/json", `/v1/projects/${projectId}/code?path=big.txt`]
  ]

  /** The title of what is read, and which of the paths it is. */
  const long = [
    ["a diff", 0],
    ["a diff as JSON", 1],
    ["a file", 2]
  ] as const

  it.each(slice(long, { quick: 1 }))(
    "twenty of 8 MiB of %s cost under 20 MiB and are cut off, and others are served meanwhile",
    async (_, index) => {
      const [accept = "", path = ""] = paths()[index] ?? []
      const read = async (as: string) => {
        const answer = await fetch(server.origin + path, { headers: { accept, authorization: `Bearer ${as}` } })
        expect(answer.status).toBe(200)
        return (await answer.arrayBuffer()).byteLength
      }
      const whole = await read(token)
      expect(whole).toBeGreaterThanOrEqual(8 * MiB)
      await Promise.all(viewers.map(read))
      const [before, open] = [await settledBytes(server), sockets()]
      const asked = `GET ${path} HTTP/1.1\r\nAccept: ${accept}\r\nAuthorization: Bearer ${viewers[0]}`
      const slow = Array.from({ length: 20 }, () => askOnly(asked))
      await Flow.until(
        () => Promise.resolve(sockets()),
        (count) => count >= open + 20
      )
      expect(await read(token)).toBe(whole)
      // What was let go of is given back to the machine bit by bit; all twenty are held meanwhile.
      const cost = await Flow.until(
        async () => ({ bytes: (await settledBytes(server)) - before, held: sockets() - open }),
        ({ bytes, held }) => bytes < 20 * MiB || held < 20
      )
      expect(cost.held).toBeGreaterThanOrEqual(20)
      expect(cost.bytes).toBeLessThan(20 * MiB)
      await Flow.until(
        () => Promise.resolve(sockets()),
        (count) => count <= open
      )
      // The kernel may have taken all of one: what it holds is not the server's.
      expect(Math.min(...(await Promise.all(slow.map(leftFor))))).toBeLessThan(whole)
      expect(await read(viewers[0] ?? "")).toBe(whole)
    }
  )

  it("clones of four viewers end, and keep nobody else from git", async () => {
    const open = sockets()
    const wanted = Buffer.concat([line(`want ${commit} side-band-64k\n`), Buffer.from("0000"), line("done\n")])
    const slow = viewers.flatMap((viewer) =>
      Array.from({ length: 4 }, () =>
        askOnly(
          `POST /git/${projectId}.git/git-upload-pack HTTP/1.1\r\nAuthorization: Bearer ${viewer}\r\nContent-Type: application/x-git-upload-pack-request\r\nContent-Length: ${wanted.length}`,
          wanted
        )
      )
    )
    await Flow.until(
      () => Promise.resolve(sockets()),
      (count) => count >= open + 16
    )
    const asked = [projectId, otherId, projectId, otherId].map(async (id) => {
      const answer = await fetch(`${server.origin}/git/${id}.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Bearer ${token}` }
      })
      await answer.text()
      return answer.status
    })
    expect(await Promise.all(asked)).toEqual([200, 200, 200, 200])
    await Flow.until(
      () => Promise.resolve(sockets()),
      (count) => count <= open
    )
    expect(Math.min(...(await Promise.all(slow.map(leftFor))))).toBeLessThan(6 * MiB)
    // The server's own limits for readers take half a minute of this, on a machine that has nothing else to do.
  })
})

describe("Callers behind a proxy that is trusted", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  beforeAll(async () => {
    const environment = { PAWL_PAUSED: "true", PAWL_TRUST_PROXY: "true", PAWL_API_RATE_PER_MINUTE: "4" }
    server = await startServer({ data: join(folder.path, "data"), environment })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const status = async (path: string, headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(server.origin + path, { headers })
    await answer.text()
    return answer.status
  }
  const git = "/git/proj_00000000-0000-4000-8000-000000000000.git/info/refs?service=git-upload-pack"

  it("count by the address that the proxy says, over the API and git together", async () => {
    const from = (way: string) => ({ "x-forwarded-for": way })
    expect(await status("/v1/me", from("198.51.100.1"))).toBe(401)
    expect(await status(git, from("198.51.100.1"))).toBe(401)
    expect(await status("/v1/me", from("203.0.113.9, 198.51.100.1"))).toBe(401)
    expect(await status(git, from("198.51.100.1:4711"))).toBe(401)
    expect(await status("/v1/me", from("198.51.100.1"))).toBe(429)
    expect(await status(git, from("198.51.100.1"))).toBe(429)
    expect(await status("/v1/me", from("198.51.100.2"))).toBe(401)
    expect(await status("/v1/me", {})).toBe(401)
  })

  it("have one rate for the API and git", async () => {
    const own = { authorization: `Bearer ${token}` }
    const seen = [
      await status("/v1/me", own),
      await status(git, own),
      await status("/v1/me", own),
      await status(git, own)
    ]
    expect(seen).toEqual([200, 404, 200, 404])
    expect([await status("/v1/me", own), await status(git, own)]).toEqual([429, 429])
  })
})
