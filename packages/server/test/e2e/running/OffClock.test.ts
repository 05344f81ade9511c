import { slice } from "@pawl/testing/Depth"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import Pg from "pg"
import * as FakeTime from "../../../../adapters-pg/test/FakeTime.ts"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const reason = (await PostgresServer.whyNot()) ?? FakeTime.whyNot

/** Which way the clock of the one that is wrong is off. */
const way = slice(["+1h", "-1h"], { quick: 1 })

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

/** And of every firing of a schedule: how far ahead of that moment the slot lies that was fired. */
const firings = `
  CREATE TABLE pawl.fired (name TEXT, ahead_ms BIGINT);
  CREATE FUNCTION pawl.fire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO pawl.fired VALUES (NEW.id, (extract(epoch FROM
      (NEW.data::json ->> 'firedAt')::timestamptz - clock_timestamp()) * 1000)::BIGINT);
    RETURN NEW; END $$;
  CREATE TRIGGER fire BEFORE INSERT OR UPDATE ON pawl.pawl_schedule FOR EACH ROW EXECUTE FUNCTION pawl.fire()`

/**
 * As if nobody had swept today. What is due now, and what is not, half an hour on either side: who is an hour off takes one of the two for the other.
 * The daily sweep was missed, the schedule of each minute fired two minutes ago; of a Project's events the first is
 * older than the year for which events are kept, and the second is not.
 */
const madeDue = (projectId: string) => `
  ALTER TABLE pawl.pawl_schedule DISABLE TRIGGER fire;
  UPDATE pawl.pawl_schedule SET data = jsonb_set(data::jsonb, '{firedAt}', to_jsonb(to_char(
    date_trunc('minute', clock_timestamp() AT TIME ZONE 'UTC') - CASE id WHEN 'retention.sweep' THEN interval '2 days' ELSE interval '2 minutes' END,
    'YYYY-MM-DD"T"HH24:MI:SS".000Z"')))::text WHERE id IN ('retention.sweep', 'claim.expire');
  ALTER TABLE pawl.pawl_schedule ENABLE TRIGGER fire;
  TRUNCATE pawl.fired;
  DELETE FROM pawl.pawl_journal WHERE process LIKE 'retention.sweep%';
  UPDATE pawl.pawl_event SET at = (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT - 365 * 86400000::BIGINT
    + CASE sequence WHEN 1 THEN -1800000 ELSE 1800000 END
    WHERE sequence <= 2 AND project_id = '${projectId}'`

interface Accounted {
  readonly claims: number
  readonly taken: number
  readonly early: number
}

const asked = async <A extends Pg.QueryResultRow>(url: string, text: string): Promise<ReadonlyArray<A>> => {
  const client = new Pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<A>(text)).rows
  } finally {
    await client.end()
  }
}

const accounted = async (url: string): Promise<Accounted> => {
  // The clocks agree to within a second; those that are off are off by an hour.
  const text = `SELECT count(*)::INT AS claims, count(*) FILTER (WHERE was_held)::INT AS taken,
    count(*) FILTER (WHERE early_ms > 1000)::INT AS early FROM pawl.claimed`
  return (await asked<Accounted>(url, text))[0]!
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
      await PostgresServer.administer(postgres.url, firings)
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

    it.each(way)(
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

    it.each(way)(
      "(%s) alone fires what is due and nothing ahead of its time, and keeps what is not old enough",
      async (by) => {
        const right = await startWorker()
        const { id } = await Flow.createProject(front.api, by === "+1h" ? "early" : "late")
        await Flow.liveApp(front.api, id, 0)
        const change = await Flow.openChange(front.api, id, "first")
        for (const name of ["a.txt", "b.txt", "c.txt"]) await Flow.edit(front.api, change, { [name]: name })
        await Flow.until(
          () =>
            asked<{ n: number }>(
              postgres.url,
              `SELECT count(*)::INT AS n FROM pawl.pawl_event WHERE project_id = '${id}'`
            ),
          ([row]) => (row?.n ?? 0) > 2
        )
        await right.stop()
        await PostgresServer.administer(postgres.url, madeDue(id))
        // It looks at the timetable when it starts.
        const wrong = await startWorker(FakeTime.off(by))
        const fired = await Flow.until(
          () => asked<{ name: string; ahead_ms: string }>(postgres.url, "SELECT name, ahead_ms FROM pawl.fired"),
          (all) => ["retention.sweep", "claim.expire"].every((one) => all.some(({ name }) => name === one))
        )
        expect(fired.filter(({ ahead_ms }) => Number(ahead_ms) > 0)).toEqual([])
        const sweeps = `SELECT 1 FROM pawl.pawl_command WHERE kind = 'retention.sweep'`
        await Flow.until(
          () => asked(postgres.url, sweeps),
          (all) => all.length === 0
        )
        const kept = `SELECT min(sequence)::INT AS first FROM pawl.pawl_event WHERE project_id = '${id}'`
        expect(await asked(postgres.url, kept)).toEqual([{ first: 2 }])
        expect(wrong.log()).not.toContain("LeaseLost")
      }
    )

    it.each(way)("(%s) takes a token until it ends, and not any more then", async (by) => {
      const wrong = await start("api", FakeTime.off(by))
      workers.push(wrong)
      const endsAt = new Date(Date.now() + 1_800_000).toISOString()
      const ended = new Date(Date.now() - 1_800_000).toISOString()
      const issue = (name: string) =>
        front.api.post<{ token: string; id: string }>("/v1/tokens", { name, expiresAt: endsAt })
      const [young, old] = [await issue("young"), await issue("old")]
      // Nobody gives one out that has ended.
      const age = `UPDATE pawl.pawl_token SET data = replace(data, '${endsAt}', '${ended}') WHERE id = '${old.id}'`
      await PostgresServer.administer(postgres.url, age)
      const statusOf = async (token: string) =>
        (await fetch(`${wrong.origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status
      expect(await Promise.all([young, old].map(({ token }) => statusOf(token)))).toEqual([200, 401])
    })
  }
)
