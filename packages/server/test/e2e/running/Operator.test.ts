/** What an operator does on the machine itself when a token got into wrong hands: without a token, beside the server. */
import { readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { pawl } from "../kit/Command.ts"
import { gitClient } from "../kit/GitClient.ts"
import { type ServerProcess, startServer, temporaryFolder, token as ownerToken } from "../kit/ServerProcess.ts"

/** Each command reads the whole program: what one has compiled, the next need not. */
const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), "pawl-tests-compiled") }

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

const stores = [
  { store: "SQLite", postgres: false },
  { store: "Postgres", postgres: true }
]

describe.each(slice(stores, { quick: 1 }))(
  "An operator beside a running server on $store",
  ({ postgres: onPostgres }) => {
    const skipped = onPostgres && reason !== null
    const folder = temporaryFolder()
    let postgres: PostgresServer.PostgresServer | undefined
    let server: ServerProcess
    let environment: Readonly<Record<string, string>> = {}

    /** A command that ends well, and its lines. */
    const command = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
      const { code, output } = await pawl(args, { ...compiled, PAWL_DATA: folder.path, ...environment })
      expect([args, code, output]).toEqual([args, 0, output])
      return output.trimEnd().split("\n")
    }
    const ask = async (method: string, path: string, token: string, body?: unknown) => {
      const answer = await fetch(`${server.origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      return { status: answer.status, body: text === "" ? null : JSON.parse(text) }
    }
    const newUser = async (name: string, role: string): Promise<{ readonly id: string; readonly token: string }> => {
      const { body } = await ask("POST", "/v1/users", ownerToken, { name, role, organizationId: firstOrganizationId })
      return { id: body.user.id, token: body.token }
    }

    beforeAll(async () => {
      if (skipped) return
      if (onPostgres) {
        postgres = await PostgresServer.start()
        environment = { PAWL_DATABASE_URL: postgres.url }
      }
      server = await startServer({ data: folder.path, environment })
    })
    afterAll(async () => {
      await server?.stop()
      await postgres?.stop()
      folder.remove()
    })

    it.skipIf(skipped)("ends a user: the API, git and open streams let them in no more", async () => {
      const { id, token } = await newUser("Leaver", "member")
      const { body } = await ask("POST", "/v1/projects", token, { slug: "theirs", files: { "a.txt": "a" } })
      const project = body.project.id
      const git = gitClient(join(folder.path, "home"))
      const url = `http://x:${token}@127.0.0.1:${server.port}/git/${project}.git`
      const listing = () => git.run(".", ["ls-remote", url])
      expect((await listing()).code).toBe(0)
      const stream = await fetch(`${server.origin}/v1/projects/${project}/events`, {
        headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" }
      })
      expect(await command("users", "list")).toContain(`${id}  Leaver`)

      expect((await command("users", "disable", id))[0]).toContain(`${id}  disabled`)
      expect(await ask("GET", "/v1/me", token)).toMatchObject({ status: 401, body: { reason: "disabled" } })
      expect((await listing()).code).toBe(128)
      // Reads to the end: it ends.
      expect(await stream.text()).toContain("retry: 1000")
      const lines = await command("users", "list")
      expect(lines.find((line) => line.startsWith(id))).toMatch(/ {2}Leaver {2}disabled 20/)
      expect(lines.join("\n")).toContain(`owner of ${firstOrganizationId}  Home`)
    })

    it.skipIf(skipped)("revokes a token by its id, and all of a user", async () => {
      const { id, token } = await newUser("Careless", "member")
      const more = (await ask("POST", "/v1/tokens", token, { name: "leaked" })).body
      const listed = await command("tokens", "list", "--user", id)
      expect(listed.length).toBe(2)
      expect(listed.join("\n")).not.toMatch(/pawl_/)
      expect(listed.find((line) => line.startsWith(more.id))).toContain("leaked")
      await command("tokens", "revoke", more.id)
      expect(await ask("GET", "/v1/me", more.token)).toMatchObject({ status: 401, body: { reason: "revoked" } })
      expect((await ask("GET", "/v1/me", token)).status).toBe(200)
      await command("tokens", "revoke", "--user", id)
      expect(await ask("GET", "/v1/me", token)).toMatchObject({ status: 401, body: { reason: "revoked" } })
      expect(await command("tokens", "list", "--user", id)).toEqual([""])
      expect((await command("tokens", "list", "--user", id, "--all")).length).toBe(2)
    })

    // What follows is the same on every store.
    if (onPostgres) return

    it("gives an organization an owner again, whoever took it", async () => {
      const taker = await newUser("Taker", "owner")
      const mine = await newUser("Mine", "member")
      const list = (id: string) => ({ members: [{ userId: id, role: "owner" }] })
      const path = `/v1/organizations/${firstOrganizationId}/members`
      const { body } = await ask("GET", "/v1/me", ownerToken)
      expect((await ask("PUT", path, taker.token, list(taker.id))).status).toBe(200)
      expect((await ask("PUT", path, ownerToken, list(mine.id))).status).toBe(404)
      await command("users", "own", body.user.id, firstOrganizationId)
      await command("users", "disable", taker.id)
      expect((await ask("PUT", path, ownerToken, list(body.user.id))).status).toBe(200)
    })

    it.skipIf(skipped)(
      "puts a new owner token in the place of one that leaked, and the next start keeps it so",
      async () => {
        const { body } = await ask("GET", "/v1/me", ownerToken)
        await command("tokens", "revoke", "--user", body.user.id)
        expect((await ask("GET", "/v1/me", ownerToken)).status).toBe(401)
        const lines = await command("tokens", "new")
        const made = /^token (pawl_\S{43})$/.exec(lines[1] ?? "")?.[1] ?? ""
        expect((await ask("GET", "/v1/me", made)).body).toMatchObject({
          user: { id: body.user.id },
          token: { expiresAt: null, scopes: ["read", "write", "approve", "promote", "admin"] }
        })
        const kept = join(folder.path, "owner-token")
        expect(readFileSync(kept, "utf8")).toBe(`${made}\n`)
        expect(statSync(kept).mode & 0o777).toBe(0o600)

        // The commands work without a server, too; and the old token stays what it is when a start is still given it.
        expect(await server.stop()).toBe(0)
        expect((await command("tokens", "list")).join("\n")).toContain("made on the machine")
        server = await startServer({ data: folder.path, environment })
        expect((await ask("GET", "/v1/me", ownerToken)).status).toBe(401)
        expect((await ask("GET", "/v1/me", made)).status).toBe(200)
      }
    )

    it("is told in words what cannot be done, and nothing is made where no installation is", async () => {
      const refusals = [
        [["users", "disable", "usr_none"], "unknown_user"],
        [["tokens", "revoke", "tok_none"], "unknown_token"],
        [["tokens", "revoke"], "token: name one, or --user"],
        [["tokens", "new", "--user", "usr_none"], "unknown_user"]
      ] as const
      for (const [args, words] of refusals) {
        const { code, output } = await pawl(args, { ...compiled, PAWL_DATA: folder.path, ...environment })
        expect([code, output]).toEqual([2, expect.stringContaining(words)])
      }
      const nowhere = join(folder.path, "nowhere")
      const { code, output } = await pawl(["users", "list", "--data", nowhere], compiled)
      expect([code, output]).toEqual([2, expect.stringContaining("name the data folder")])
      expect(() => statSync(nowhere)).toThrow("ENOENT")
    })
  }
)
