import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import Pg from "pg"
import * as FakeTime from "../../../../adapters-pg/test/FakeTime.ts"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const reason = (await PostgresServer.whyNot()) ?? FakeTime.whyNot

/**
 * Postgres itself keeps account of every claim, by its own clock: from whom one was taken whose lease had not ended, and
 * which one came before it was due.
 */
const account = `
  CREATE TABLE pawl.claimed (kind TEXT, was_held BOOLEAN, early_ms BIGINT);
  CREATE FUNCTION pawl.account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO pawl.claimed VALUES (NEW.kind, OLD.token IS NOT NULL,
      OLD.ready_at - (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT);
    RETURN NEW; END $$;
  CREATE TRIGGER account BEFORE UPDATE ON pawl.pawl_command FOR EACH ROW
    WHEN (NEW.token IS NOT NULL AND NEW.token IS DISTINCT FROM OLD.token) EXECUTE FUNCTION pawl.account()`

interface Accounted {
  readonly claims: number
  readonly taken: number
  readonly early: number
}

const accounted = async (url: string): Promise<Accounted> => {
  const client = new Pg.Client({ connectionString: url })
  await client.connect()
  try {
    // The clocks agree to within a second; those that are off are off by an hour.
    const text = `SELECT count(*)::INT AS claims, count(*) FILTER (WHERE was_held)::INT AS taken,
      count(*) FILTER (WHERE early_ms > 1000)::INT AS early FROM pawl.claimed`
    return (await client.query<Accounted>(text)).rows[0]!
  } finally {
    await client.end()
  }
}

describe.skipIf(reason !== null)(
  `A worker whose clock is off by an hour (${reason ?? "beside one that is right"})`,
  () => {
    const folder = temporaryFolder()
    const workers: Array<ServerProcess> = []
    let postgres: PostgresServer.PostgresServer
    let front: ServerProcess

    const start = (roles: string, environment: Readonly<Record<string, string>> = {}) =>
      startServer({
        data: folder.path,
        environment: { PAWL_DATABASE_URL: postgres.url, PAWL_ROLES: roles, ...environment }
      })
    const startWorker = async (environment?: Readonly<Record<string, string>>) => {
      const worker = await start("worker", environment)
      workers.push(worker)
      return worker
    }

    beforeAll(async () => {
      postgres = await PostgresServer.start()
      front = await start("api,router")
      await PostgresServer.administer(postgres.url, account)
    })
    afterEach(async () => {
      await Promise.all(workers.splice(0).map((each) => each.stop()))
    })
    afterAll(async () => {
      await front.stop()
      await postgres.stop()
      folder.remove()
    })

    /** From nothing to the second version being live, with all that stands between. */
    const toLive = async (slug: string): Promise<void> => {
      const { api } = front
      const project = await Flow.createProject(api, slug)
      await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "first")
      await Flow.edit(api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      expect(candidate.status).toBe("verified")
      await Flow.promote(api, candidate.id)
      expect(await Flow.released(api, project.id, 1)).toMatchObject({ status: "deployed" })
      expect(await api.get(`/v1/projects/${project.id}/dead-letters`)).toMatchObject({ items: [] })
    }

    it.each(["+1h", "-1h"])(
      "(%s) takes nothing from the living and nothing before its time, and alone it does all that is due",
      { timeout: 240_000 },
      async (by) => {
        const name = by === "+1h" ? "ahead" : "behind"
        const right = await startWorker()
        const wrong = await startWorker(FakeTime.off(by))
        await Promise.all(["a", "b", "c", "d"].map((each) => toLive(`${name}-${each}`)))
        expect(await accounted(postgres.url)).toMatchObject({ taken: 0, early: 0 })
        expect((await accounted(postgres.url)).claims).toBeGreaterThan(20)
        await right.stop()
        // One that is an hour behind would see nothing of this before an hour has passed.
        await toLive(`${name}-alone`)
        expect(await accounted(postgres.url)).toMatchObject({ taken: 0, early: 0 })
        expect(wrong.log()).not.toContain("LeaseLost")
        const ready = await fetch(`${wrong.origin}/health/ready`)
        expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
      }
    )
  }
)
