import { sameWords } from "@pawl/core/change/SameWords"
import { describe, expect, it } from "vitest"

describe("Two runs of a check said the same where they differ only in", () => {
  it.each([
    [
      "durations of node's own tests",
      "not ok 1 - a\n  duration_ms: 1.25\n# duration_ms 81",
      "not ok 1 - a\n  duration_ms: 11\n# duration_ms 9.5"
    ],
    [
      "durations in words",
      "Tests 1 failed (12.5 ms), 3 seconds, Time: 2 s",
      "Tests 1 failed (9 ms), 14 seconds, Time: 1.25 s"
    ],
    ["durations of minutes", "ran for 1m 12s", "ran for 2m 3s"],
    ["durations as JSON", `{"duration":12,"ok":false}`, `{"duration":9.5,"ok":false}`],
    ["dates", "at 2026-11-22T18:36:05.123Z", "at 2026-11-23T01:02:03.004Z"],
    ["days", "built 2026-11-22", "built 2026-12-01"],
    ["dates with a zone", "2026-11-22 18:36:05 +0100 failed", "2026-11-23 07:01:59 +0000 failed"],
    [
      "dates as JavaScript prints them",
      "Sun Nov 22 2026 18:36:05 GMT+0000 (Coordinated Universal Time)",
      "Mon Nov 23 2026 09:00:00 GMT+0100 (Central European Standard Time)"
    ],
    ["dates of headers", "date: Sun, 22 Nov 2026 18:36:05 GMT", "date: Mon, 23 Nov 2026 01:00:00 GMT"],
    ["times of the day", "Start at 18:36:05", "Start at 07:01:59"],
    ["times since 1970", "now 1795372565123, 1795372565", "now 1795459999999, 1795459999"],
    ["the folder of the run", "at /tmp/pawl-job-4f3a/src/a.js:3:1", "at /tmp/pawl-job-99bc/src/a.js:3:1"],
    ["a folder that a test made", "ENOENT '/tmp/x/work-aB3dEf/out.txt'", "ENOENT '/tmp/x/work-9Zk2lq/out.txt'"],
    ["the folder of a run on macOS", "/private/var/folders/zz/9k_1/T/job-a/x", "/var/folders/qq/8m_2/T/job-b/x"],
    ["ports", "connect ECONNREFUSED 127.0.0.1:41234", "connect ECONNREFUSED 127.0.0.1:38001"],
    [
      "ports of a name, of IPv6 and in words",
      "http://localhost:3111/ [::1]:80 :::9 port: 4000",
      "http://localhost:3999/ [::1]:8080 :::9 port: 4001"
    ],
    ["processes", "(node:1234) Warning, pid 88", "(node:99) Warning, pid 4711"],
    ["ids made by chance", "id 6f1c2f7e-9d55-4f8e-8a39-0d3c5c1f2a10", "id 00000000-9d55-4f8e-8a39-0d3c5c1f2aff"],
    ["addresses of memory", "at 0x7ffe12345678", "at 0x7fff87654321"],
    ["colours", "\u001b[31mnot ok\u001b[39m", "not ok"]
  ])("%s", (_, one, other) => {
    expect(one).not.toBe(other)
    expect(sameWords(one)).toBe(sameWords(other))
  })
})

describe("Two runs of a check said something else where they differ in", () => {
  it.each([
    ["what was expected", "expected 20 to be 21", "expected 20 to be 22"],
    ["which test failed", "not ok 1 - adds", "not ok 1 - takes away"],
    ["how many failed", "# fail 1", "# fail 2"],
    ["the line", "at src/a.js:3:1", "at src/a.js:4:1"],
    ["the line in the folder of the run", "at /tmp/job-1/src/a.js:3:1", "at /tmp/job-1/src/a.js:4:1"],
    ["the file in the folder of the run", "at /tmp/job-1/src/a.js:3", "at /tmp/job-1/src/b.js:3"],
    ["the host that was asked", "connect 127.0.0.1:4000", "connect 10.0.0.1:4000"],
    ["what there is of something", "12 errors", "13 errors"],
    ["a speed", "12 m/s", "13 m/s"],
    ["an amount", "costs 1795", "costs 1796"]
  ])("%s", (_, one, other) => expect(sameWords(one)).not.toBe(sameWords(other)))
})

it("a long output that is made to hang is read in one go", () => {
  const hard = ["1".repeat(300_000), "1.".repeat(150_000), "/tmp/a-".repeat(40_000), "Sun Nov 2".repeat(30_000)]
  for (const text of [...hard, "/tmp/x" + "/a-".repeat(100_000), "a-b".repeat(100_000)])
    expect(sameWords(text).length).toBeGreaterThan(0)
})
