/**
 * One change, from an edit to the live app, with the client that is made from the HTTP contract.
 *
 * Start a server first (`npm start`), then:
 *
 *   PAWL=http://localhost:8787 TOKEN="$(cat .pawl/owner-token)" \
 *     node_modules/.bin/node --conditions=pawl-source examples/01-first-change.ts my-shop
 */
import { makeClient } from "@pawl/server/api"
import { Config, Console, Effect, Schedule } from "effect"

class NotYet {
  readonly _tag = "NotYet"
}

/** Asks again, four times a second for at most two minutes, until the answer fits. */
const until = <A, E, R>(ask: Effect.Effect<A, E, R>, done: (answer: A) => boolean) =>
  ask.pipe(
    Effect.filterOrFail(done, () => new NotYet()),
    Effect.retry({ while: (problem) => problem instanceof NotYet, schedule: Schedule.spaced("250 millis"), times: 480 })
  )

const page = `export const hours = "Monday to Saturday, 9 to 18"\n`

const program = Effect.gen(function* () {
  const baseUrl = yield* Config.withDefault(Config.String("PAWL"), "http://localhost:8787")
  const pawl = yield* makeClient({ baseUrl, token: yield* Config.Redacted("TOKEN") })
  const slug = process.argv[2] ?? "first-change"

  const { project } = yield* pawl.projects.create({ payload: { slug, template: "shop" } })
  const { app } = yield* until(pawl.apps.get({ params: { id: project.id } }), (answer) => answer.app?.status === "live")
  yield* Console.log(`S0 is live at ${app?.url}`)

  const { change } = yield* pawl.changes.create({
    params: { id: project.id },
    payload: { clientRequestId: "opening-hours", goal: "Say when we are open", budgetUsd: 1, startPlanning: false }
  })
  const { changeset } = yield* pawl.changesets.create({
    params: { id: change.id },
    payload: { message: "Add the opening hours", files: { "src/hours.ts": page, "public/hours.txt": "9 to 18\n" } }
  })
  yield* Console.log(`${changeset.id} touches ${changeset.files.map((file) => file.path).join(" and ")}`)

  const asked = yield* pawl.candidates.create({ params: { id: change.id }, payload: {} })
  const { candidate } = yield* until(
    pawl.candidates.get({ params: { id: asked.candidate.id } }),
    (answer) => answer.candidate.status !== "composing" && answer.candidate.status !== "verifying"
  )
  const evidence = yield* pawl.candidates.evidence({ params: { id: candidate.id }, query: {} })
  for (const row of evidence.items) yield* Console.log(`${row.checkId}: ${row.result} in ${row.runner.isolation}`)
  if (candidate.status !== "verified")
    return yield* Effect.fail(`the Candidate is ${candidate.status}: ${candidate.reason}`)

  const promoted = yield* pawl.candidates.promote({ params: { id: candidate.id } })
  yield* Console.log(
    `${promoted.outcome}: S${promoted.generation} has the tree ${promoted.tree}, which is the verified one`
  )
  const releases = yield* until(pawl.projects.releases({ params: { id: project.id }, query: {} }), ({ items }) =>
    items.some((release) => release.id === promoted.releaseId && !["queued", "building"].includes(release.status))
  )
  const release = releases.items.find(({ id }) => id === promoted.releaseId)
  yield* Console.log(`the release is ${release?.status}: ${app?.url}hours.txt`)
})

await Effect.runPromise(program)
