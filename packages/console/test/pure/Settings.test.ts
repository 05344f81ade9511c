import { eventTypes } from "@pawl/core/model/Event"
import { expect, it } from "vitest"
import { withPerson, without } from "../../src/access/People.ts"
import { bytes, duration } from "../../src/ui/Amounts.ts"
import { type EventGroup, eventGroups, groupWords, typesOf } from "../../src/webhook/EventGroups.ts"

it("offers each type of event of the server once, in a group that has words", () => {
  const groups = Object.keys(eventGroups) as ReadonlyArray<EventGroup>
  expect(typesOf(groups).toSorted()).toEqual(eventTypes.toSorted())
  expect(groupWords.map(([group]) => group)).toEqual(groups)
})

it("puts a person into a list once, in their place, and takes them out", () => {
  const list = [
    { userId: "a", role: "viewer" },
    { userId: "b", role: "admin" }
  ]
  expect(withPerson(list, { userId: "a", role: "member" })).toEqual([{ userId: "a", role: "member" }, list[1]])
  expect(withPerson(list, { userId: "c", role: "member" })).toEqual([...list, { userId: "c", role: "member" }])
  expect(without(list, "a")).toEqual([list[1]])
})

it("tells amounts in words", () => {
  expect([0, 1023, 1536, 5 * 2 ** 20, 300 * 2 ** 30].map(bytes)).toEqual([
    "0 B",
    "1023 B",
    "1.5 KB",
    "5.0 MB",
    "300 GB"
  ])
  expect([0, 42_000, 720_000, 12_600_000].map(duration)).toEqual(["0 ms", "42 s", "12 min 0 s", "3 h 30 min"])
})
