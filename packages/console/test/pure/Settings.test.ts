import { eventTypes } from "@pawl/core/model/Event"
import { expect, it } from "vitest"
import { withPerson, without } from "../../src/access/People.ts"
import { bytesWords, durationWords } from "../../src/system/UseWords.ts"
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
  expect([0, 1023, 1536, 5 * 2 ** 20, 300 * 2 ** 30].map(bytesWords)).toEqual([
    "0 bytes",
    "1023 bytes",
    "1.5 KB",
    "5.0 MB",
    "300 GB"
  ])
  expect([0, 42_000, 720_000, 12_600_000].map(durationWords)).toEqual(["0 s", "42 s", "12 min", "3.5 h"])
})
