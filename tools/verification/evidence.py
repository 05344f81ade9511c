"""The checks that a promotion stood on, their waivers and evidence, and those that it lacks."""
from .fields import NOTHING, shaped
from .findings import ODD, check, say
from .folder import seconds
from .records import object_json, unaddressed


def check_evidence(records, p, source, bundle, policy, plan):
    at, planned = p.adopted.promotedAt or p.at, {c.id: c for c in plan.checks}
    waivers = {waiver.id: waiver.until for waiver in policy.waivedChecks}
    wanted = {id for id, c in planned.items() if c.required and (c.waived.until or "") <= at}
    if p.candidate and p.trigger != "rollback":
        wanted |= {id for id in policy.requiredChecks if waivers.get(id, "") <= at}
    for id in wanted - {c["check"] for c in p["checks"]}: say("check_missing", id)
    for c in p["checks"]:
        id, until, output, asked = c["check"], c.waived.until, c.output.sha256, planned.get(c["check"], NOTHING)
        if (c.required or asked.required) and c["result"] != "pass":
            is_granted = waivers.get(id.removesuffix("@base")) == until or not policy
            is_agreed = is_granted and (asked.waived.until == until or not plan)
            if check(until, "check_unsatisfied", id) and check(until > at, "waiver_expired", id):
                check(is_agreed, "check_unsatisfied", f"{id}, waived")
        if c.retryOf:
            allowed = all(not known or known.flakeRetries == 1 for known in (policy, plan))
            check(allowed, "check_unsatisfied", f"{id}: nobody allowed its retry")
        e = records.record("evidence", c["id"], c["record"]["sha256"])
        stated = (source.gitTree, source.gitCommit, p.candidate.id, id, c.result, output, c.retryOf.id)
        is_own = stated == (e.tree, e.commit, e.subject.candidateId, e.checkId, e.result, e.outputDigest, e.retryOf)
        if e and check(is_own, "evidence_of_other", c.id):
            check(e.result != "pass" or e.status == "checked_supported", "check_unsatisfied", id)
        check(e.bundleDigest in (NOTHING, bundle), "bundle_not_verified", c.id)
        if e and c.retryOf: retried(records, c.retryOf, e)
        was = repeated(records, c, e, plan) if e else NOTHING
        kept = output and records.thing("output", output, (was or e).get("finishedAt"))
        if was and e.bundleDigest and bundle and kept: given(kept, records.bundle(bundle), source)

def repeated(records, c, e, plan):
    """The row of another Candidate that this one repeats: it asked the same of the same files, not long ago."""
    code, was = "evidence_reuse_mismatch", c.reuses
    if not check(e.get("reuses") == was.get("id"), code, c.id) or not was: return NOTHING
    was = records.record("evidence", was["id"], was["record"]["sha256"])
    if not was: return NOTHING
    reuse, guarantees = plan.reuse if plan else "inputs", was.runner.get("guarantees") or []
    def same(name): return was.get(name) is not None and was.get(name) == e.get(name)
    saw = same("tree") or reuse == "inputs" and same("inputsDigest")
    passes = all((row.result, row.status) == ("pass", "checked_supported") for row in (e, was))
    closed = {"network-denied", "clean-environment"} <= {*guarantees} or "bundleDigest" in e
    may = reuse and was.subject.candidateId and saw and passes and closed
    may = may and all(map(same, ("checkId", "checkDigest", "runnerDigest", "outputDigest")))
    may = may and ("bundleDigest" in e) == ("bundleDigest" in was)
    age = seconds(e.get("startedAt"), was.get("finishedAt"))
    check(may and not {"reuses", "retryOf", "waived"} & {*was} and 0 <= age <= 86_400, code, c.id)
    return was

def retried(records, named, e):
    """The failure that this row is the one retry of: both are there, of the same check, tree and Candidate."""
    failure = records.record("evidence", named["id"], named["record"]["sha256"])
    def of(row): return row.checkId, row.tree, row.commit, row.subject.candidateId
    is_one = failure.result == "fail" and "retryOf" not in failure and of(e) == of(failure)
    is_later = is_one and "reuses" not in e and e.get("attempt", 0) > failure.get("attempt", 0)
    check(not failure or is_later and e.result == "pass", "evidence_retry_mismatch", e.checkId)
    if failure.outputDigest: records.thing("output", failure.outputDigest, failure.finishedAt)

def given(kept, made, source):
    """A bundle that was given to another commit: the same as the earlier build's, whose output it is."""
    try: was = shaped(object_json(kept), "bundle")
    except ODD: return
    same = made.commit == source.gitCommit and unaddressed(made) == unaddressed(was)
    check(same or not made, "evidence_reuse_mismatch", "another bundle")
