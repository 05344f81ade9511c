/** What `GET /v1/candidates/:id/why` says of what to do, word for word. */
import { describe, expect, it } from "vitest"
import type { Doubt } from "@pawl/core/why/WhyDoubt"
import type { LaneEntryStatus } from "@pawl/core/model/LaneEntry"
import type { LaneWait } from "@pawl/core/why/WhyLane"
import type { Next } from "@pawl/core/why/WhyNext"
import { nextInWords } from "@pawl/server/http/answer/WhyWords"

const changeId = "chg_1"
const candidateId = "cand_1"
const since = "2026-01-01T00:05:00.000Z"
const doubted = (doubt: Doubt): Next => ({ code: "doubted", generation: 3, projectId: "proj_1", doubt })

const inLane = (state: LaneEntryStatus, waits: LaneWait | null): Next => ({
  code: "in_lane",
  state,
  position: 3,
  waits
})
const ahead = { for: "ahead", changeId } as const

const said: ReadonlyArray<readonly [next: Next, words: string]> = [
  [{ code: "project_archived", generation: null }, "Nothing: its Project is archived, and takes no more work."],
  [{ code: "project_archived", generation: 4 }, "Nothing: it is S4, and its Project is archived."],
  [
    { code: "dead_letter", id: "agent.wake:t", kind: "agent.wake", problem: "it broke" },
    "A step failed too often (agent.wake: it broke): retry or dismiss the dead letter agent.wake:t."
  ],
  [
    { code: "dead_letter", id: "agent.wake:t", kind: "agent.wake", problem: null },
    "A step failed too often (agent.wake: no reason given): retry or dismiss the dead letter agent.wake:t."
  ],
  [{ code: "composing" }, "Wait: it is being composed."],
  [{ code: "checking" }, "Wait: its checks are running."],
  [
    {
      code: "waiting",
      wait: {
        checkId: "build",
        reason: "the build command did not finish: no end after 300 s: vite build --watch\nwatching",
        attempt: 1,
        attempts: 3,
        tookMs: 300_400,
        at: "2026-01-01T00:05:00.000Z",
        again: "2026-01-01T00:05:00.000Z"
      }
    },
    "Wait: try 1 of 3 of build showed nothing (the build command did not finish: no end after 300 s: vite build --watch; it took 300 s). The next one runs since 2026-01-01T00:05:00.000Z."
  ],
  [
    {
      code: "waiting",
      wait: {
        checkId: null,
        reason: "the packages cannot be had now: left: it is not there (https://registry.npmjs.org/)",
        attempt: null,
        attempts: null,
        tookMs: null,
        at: "2026-01-01T00:05:00.000Z",
        again: "2026-01-01T00:05:08.000Z"
      }
    },
    "Wait: the packages cannot be had now: left: it is not there (https://registry.npmjs.org/). That was at 2026-01-01T00:05:00.000Z; it is tried again by itself at 2026-01-01T00:05:08.000Z."
  ],
  [{ code: "becoming_stale" }, "Wait: canonical moved on, and it becomes stale at once."],
  [{ code: "awaiting_base" }, "Wait: what it was made on is not canonical yet."],
  [{ code: "awaiting_successor" }, "Wait: a new Candidate of the same ChangeSets takes its place on the new base."],
  [
    { code: "another_promoting", candidateId },
    "Wait: the Change is promoting cand_1, and what becomes of that one decides."
  ],
  [
    doubted({ of: "signer", problem: "unsigned", since, holdsBack: true }),
    `It is S3, and has no signature since ${since} (unsigned), and its release waits for that: the signer does not answer, and is asked again every 2 s. On the server: pawl doctor, and the log says what it answers.`
  ],
  [
    doubted({ of: "signer", problem: "log_behind", since, holdsBack: false }),
    `It is S3, and has no signature since ${since} (log_behind): the signer has signed more than the database has: it was put back. On the server: pawl key epoch.`
  ],
  [
    doubted({ of: "signer", problem: "key_unknown", since, holdsBack: false }),
    `It is S3, and has no signature since ${since} (key_unknown): the signer's key is not the newest of this installation. On the server: put back its key, or pawl key reset.`
  ],
  [
    doubted({ of: "signer", problem: "audit_pending", since, holdsBack: false }),
    `It is S3, and has no signature since ${since} (audit_pending): a stolen key was revoked, and all is signed anew once an audit has found nothing: POST /v1/projects/proj_1/audit.`
  ],
  [
    doubted({ of: "router", problem: "release_superseded", serves: 1, holdsBack: true }),
    "It is S3. Routers do not serve S1, which is live in its place: a later release was served here, and does not name this one to go back to (release_superseded). Somebody may have changed what is served: on the server, pawl verify; then roll back, or promote, what should be live."
  ],
  [
    doubted({ of: "router", problem: "key_retired", serves: 3, holdsBack: false }),
    "It is S3. Routers serve it, with a warning: its statement is signed by a key that was retired before (key_retired). Release it anew with a rollback to it or another promotion: the key of today signs that."
  ],
  [
    doubted({ of: "router", problem: "key_unknown", serves: null, holdsBack: false }),
    "It is S3. Routers serve what is live, with a warning: its statement is signed by a key that does not count here (key_unknown). If the key is this installation's own, name it in PAWL_TRUSTED_KEYS of the router (pawl key show); else on the server: pawl verify."
  ],
  [{ code: "mending", taskKey: "repair-1" }, "Wait: the Task repair-1 mends what it was rejected for."],
  [
    { code: "policy_changed", changeId },
    "The Policy changed since it was planned: ask for the same Candidate again (POST /v1/changes/chg_1/candidates), and it is planned anew."
  ],
  [
    { code: "build_owed", changeId },
    "It was planned without the build that it owes now: ask for the same Candidate again (POST /v1/changes/chg_1/candidates), and it is planned anew."
  ],
  [{ code: "evidence_void" }, "Its evidence does not hold any more: tell whoever runs this server, and run an audit."],
  [
    { code: "commit_missing" },
    "Its commit is gone from its fork: tell whoever runs this server, and ask for a new Candidate with another ChangeSet."
  ],
  [{ code: "decide", changeId, granted: 0, owed: 1 }, "Decide on it: POST /v1/changes/chg_1/approve."],
  [{ code: "decide", changeId, granted: 0, owed: 2 }, "Decide on it; 2 people must: POST /v1/changes/chg_1/approve."],
  [
    { code: "decide", changeId, granted: 1, owed: 1 },
    "One more person must decide on it: POST /v1/changes/chg_1/approve."
  ],
  [
    { code: "decide", changeId, granted: 1, owed: 2 },
    "2 more people must decide on it: POST /v1/changes/chg_1/approve."
  ],
  [{ code: "promote", candidateId, unfinished: null }, "Promote it: POST /v1/candidates/cand_1/promote."],
  [
    { code: "promote", candidateId, unfinished: { key: "more", status: "blocked" } },
    "Promote it: POST /v1/candidates/cand_1/promote. Task more is blocked; what it was to do is not in it."
  ],
  [
    { code: "change_over", status: "completed" },
    "Its Change is completed: open another Change if this work is still wanted."
  ],
  [{ code: "promoted", generation: 3, release: null }, "Nothing: it is S3."],
  [{ code: "promoted", generation: 3, release: "queued" }, "Wait: it is S3, and its release is queued."],
  [{ code: "promoted", generation: 3, release: "building" }, "Wait: it is S3, and its release is building."],
  [{ code: "promoted", generation: 3, release: "deployed" }, "Nothing: it is S3, and its release is deployed."],
  [{ code: "promoted", generation: 3, release: "superseded" }, "Nothing: it is S3, and its release is superseded."],
  [
    { code: "release_failed", generation: 3, status: "smoke_failed", reason: "GET / answered 500" },
    "It is S3, but its release is smoke_failed (GET / answered 500): mend it with another Change, or roll back."
  ],
  [
    { code: "release_failed", generation: 3, status: "failed", reason: null },
    "It is S3, but its release is failed (no reason given): mend it with another Change, or roll back."
  ],
  [{ code: "change_cancelled" }, "Its Change was cancelled: open another one."],
  [
    { code: "rejected_by", approver: "usr_1" },
    "It was rejected by usr_1: record another ChangeSet, and ask for a new Candidate."
  ],
  [
    { code: "not_composable", reason: "merge conflict in a.txt", conflicts: ["a.txt"] },
    "It cannot be composed (merge conflict in a.txt): record a ChangeSet on the head that does it anew, and ask for a new Candidate."
  ],
  [
    { code: "not_composable", reason: null, conflicts: ["a.txt", "b.txt"] },
    "It cannot be composed (a.txt, b.txt): record a ChangeSet on the head that does it anew, and ask for a new Candidate."
  ],
  [
    { code: "sandbox_budget_used_up", changeId, reason: "no sandbox budget: it is used up" },
    'There is no sandbox budget: it is used up: ask for it again when there is time left (POST /v1/changes/chg_1/candidates with "retry": true).'
  ],
  [
    { code: "builds_used_up", changeId },
    'All builds of today are used: wait for the next day (UTC), then ask for it again (POST /v1/changes/chg_1/candidates with "retry": true).'
  ],
  [
    { code: "checks_failed", checkIds: ["build", "test"] },
    "Mend what fails (build, test): record a ChangeSet, and ask for a new Candidate."
  ],
  [
    { code: "checks_could_not_run", changeId, checkIds: ["test"] },
    'No check failed, but test could not run: ask for it again (POST /v1/changes/chg_1/candidates with "retry": true).'
  ],
  [
    { code: "rejected", reason: "there is no check to run" },
    "Mend what it was rejected for (there is no check to run): record a ChangeSet, and ask for a new Candidate."
  ],
  [
    { code: "rejected", reason: null },
    "Mend what it was rejected for (no reason given): record a ChangeSet, and ask for a new Candidate."
  ],
  [
    { code: "rollback_anew", projectId: "proj_1", buildsUsedUp: false },
    "Ask for the rollback anew: POST /v1/projects/proj_1/rollback."
  ],
  [
    { code: "rollback_anew", projectId: "proj_1", buildsUsedUp: true },
    "All builds of today are used: wait for the next day (UTC), then ask for the rollback anew: POST /v1/projects/proj_1/rollback."
  ],
  [{ code: "replaced", candidateId }, "cand_1 took its place: look at that one."],
  [
    { code: "recomposed_in_vain", changeId },
    "Canonical moved on each time it was recomposed: ask for a Candidate again (POST /v1/changes/chg_1/candidates), as it is or with another ChangeSet on the head."
  ],
  [inLane("ready", null), "Wait: it stands first in the lane, and lands now."],
  [
    inLane("doubtful", null),
    "Wait: it failed and stands first in the lane, which rejects it now if that was on canonical itself."
  ],
  [inLane("waiting", null), "Wait: the lane looks at it at once."],
  [inLane("ready", ahead), "Wait: it stands 3 in the lane, and chg_1 is decided before it."],
  [
    inLane("doubtful", ahead),
    "Wait: it failed on a prediction, and that counts only when it stands first on canonical. chg_1 is decided before it."
  ],
  [
    inLane("waiting", { for: "conflict", changeId, paths: ["a.txt", "b.txt"] }),
    "Wait: it does not merge with chg_1, which stands before it in the lane (a.txt, b.txt). It is made anew by itself when that one has landed or left."
  ],
  [
    inLane("ready", { for: "freeze", until: since, reason: "the fair" }),
    `Wait: nothing is promoted until ${since} (the fair). Then it lands by itself when it stands first in the lane.`
  ],
  [
    inLane("ready", { for: "rollback", changeId }),
    "Wait: the rollback chg_1 goes before all in the lane. When that one was promoted or cancelled it goes on."
  ],
  [
    inLane("waiting", { for: "slot" }),
    "Wait: the lane has it composed and checked as soon as a worker and a sandbox are free."
  ],
  [
    inLane("waiting", { for: "slot", reason: "no sandbox" }),
    "Wait: the lane has it composed and checked as soon as a worker and a sandbox are free (no sandbox)."
  ],
  [
    inLane("waiting", { for: "budget" }),
    "Wait: today's builds or the month's sandbox time are used up, or kept for those before it in the lane, which looks again each hour."
  ],
  [
    inLane("ready", { for: "blocked", reason: "check_gap: test" }),
    "Wait: its turn has come, and its promotion would be refused (check_gap: test): the lane makes that good by itself."
  ],
  [
    { code: "lane_paused", projectId: "proj_1", reason: "a look" },
    "The lane is paused (a look), and it lands when its turn comes after that. Who may promote has it go on: POST /v1/projects/proj_1/lane/resume."
  ],
  [
    { code: "lane_paused", projectId: "proj_1", reason: null },
    "The lane is paused, and it lands when its turn comes after that. Who may promote has it go on: POST /v1/projects/proj_1/lane/resume."
  ],
  [
    { code: "land", changeId },
    "Have it land: POST /v1/changes/chg_1/land. Its Policy does not let it out by itself, and nobody has asked for it."
  ]
]

describe("What to do about a Candidate", () => {
  it.each(said)("is said word for word: %o", (next, words) => {
    expect(nextInWords(next)).toBe(words)
  })
})
