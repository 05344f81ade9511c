/** What `/health/ready` says of a real server whose database does what databases do. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as FakeTime from "../../../../adapters-pg/test/FakeTime.ts"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { until } from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const reason = (await PostgresServer.whyNotOwn()) ?? FakeTime.whyNot

/** A port that nobody listens on. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

interface Said {
  readonly status: number
  readonly missing: string
}

describe.skipIf(reason !== null)(
  `A server on Postgres (${reason ?? "which is frozen, and whose clock is set"})`,
  () => {
    const folder = temporaryFolder()
    const clockFolder = mkdtempSync(join(tmpdir(), "pawl-clock-"))
    const clock = join(clockFolder, "offset")
    let postgres: PostgresServer.OwnPostgres
    let server: ServerProcess
    let port: number

    const asked = async (path: string): Promise<Said | null> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null)
      if (response === null) return null
      const { missing = [] } = (await response.json()) as { readonly missing?: ReadonlyArray<string> }
      return { status: response.status, missing: missing.join(", ") }
    }
    const untilSaid = (words: RegExp) =>
      until(
        () => asked("/health/ready"),
        (said) => said !== null && words.test(`${said.status} ${said.missing}`)
      )

    beforeAll(async () => {
      chmodSync(clockFolder, 0o755)
      writeFileSync(clock, "+0\n")
      postgres = await PostgresServer.startOwn(["fsync=off"], FakeTime.offByFile(clock))
      port = await freePort()
    })
    afterAll(async () => {
      await server.stop("SIGKILL")
      await postgres.stop()
      folder.remove()
      rmSync(clockFolder, { recursive: true, force: true })
    })

    it("lives and is not ready while another process brings the database to shape", async () => {
      const other = new Pg.Client({ connectionString: postgres.url })
      await other.connect()
      await other.query("BEGIN; SELECT pg_advisory_xact_lock(7029573)")
      const starting = startServer({
        data: folder.path,
        environment: { PAWL_DATABASE_URL: postgres.url, PAWL_PORT: String(port) }
      })
      await untilSaid(/^503 starting$/)
      expect(await asked("/health")).toMatchObject({ status: 200 })
      const waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
      await until(
        () => other.query(waits),
        ({ rows }) => rows.length > 0
      )
      expect(await asked("/health/ready")).toEqual({ status: 503, missing: "starting" })
      await other.query("COMMIT")
      await other.end()
      server = await starting
      expect(await asked("/health/ready")).toMatchObject({ status: 200 })
    })

    it("names a database that is silent, lives on, and is ready when it speaks again", async () => {
      await postgres.freeze()
      try {
        expect(await untilSaid(/^503/)).toMatchObject({ missing: expect.stringMatching(/^database(, |$)/) })
        expect(await asked("/health")).toMatchObject({ status: 200 })
      } finally {
        postgres.thaw()
      }
      await untilSaid(/^200/)
    })

    it.each([
      ["-1h", /^503 database clock: moved by -3[56]\d\d s$/],
      ["+0", /^503 database clock: moved by 3[56]\d\d s$/]
    ])(
      "says by how much the database's clock has moved, when it is set to %s, until it has stayed there",
      async (by, words) => {
        expect(await asked("/health/ready")).toMatchObject({ status: 200 })
        // Whole, or Postgres would read half of a line.
        writeFileSync(clock, `${by}\n`)
        await untilSaid(words)
        await untilSaid(/^200/)
      }
    )
  }
)
