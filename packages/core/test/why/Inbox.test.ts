import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { Records } from "@pawl/core/ledger/Records"
import { inboxOf } from "@pawl/core/why/Inbox"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { person, run } from "../kit/MemoryPawl.ts"
import { joined, newProject, opened } from "../kit/Scenes.ts"

/** What is asked of the ledger for a member of a Project, by method and kind, and what waits. */
const askedFor = Effect.fnUntraced(function* (projectId: string, n: number) {
  const member = yield* joined(projectId, n)
  const reads: Array<string> = []
  const counting: Around = ({ args, method }, effect) => {
    reads.push(`${method} ${String(args[0])}`)
    return effect
  }
  const inbox = yield* Effect.provideService(inboxOf(member.id), Records, wrap(Records, yield* Records, counting))
  return { inbox, reads }
})

/** A Project with so many Changes that were only opened, and so many that are verified. */
const projectWith = Effect.fnUntraced(function* (slug: string, idle: number, verified: number) {
  const { id } = yield* newProject(slug)
  for (let n = 0; n < idle; n++) yield* opened(id, `opened-${n}`)
  for (let n = 0; n < verified; n++) {
    const change = yield* opened(id, `verified-${n}`)
    yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files: { [`${n}.txt`]: "a" } })
  }
  return id
})

it("asks no more of a Project with many Changes that were only opened than of one with none", () =>
  run(
    Effect.gen(function* () {
      const none = yield* askedFor(yield* projectWith("none", 0, 0), 2)
      const many = yield* askedFor(yield* projectWith("many", 20, 0), 3)
      expect(many.reads).toEqual(none.reads)
      expect(many.reads.filter((each) => each === "list change" || each === "list candidate")).toEqual([])
      expect(many.inbox).toEqual({ items: [], isPart: false })
    })
  ))

it("asks as often of a Project whether one Change of it is verified or twenty", () =>
  run(
    Effect.gen(function* () {
      const one = yield* askedFor(yield* projectWith("one", 0, 1), 2)
      const twenty = yield* askedFor(yield* projectWith("twenty", 0, 20), 3)
      expect(twenty.reads).toEqual(one.reads)
      expect(twenty.reads.filter((each) => each === "list candidate")).toEqual(["list candidate"])
    })
  ))
