"""Whether the approvals that a promotion stood on are enough."""
from .fields import NOTHING, files_of, read_json
from .findings import attempt, check, need
from .signatures import passkey_signed


def check_approvals(project, p, source, policy, plan):
    among = lambda tiers: any(tier in tiers for tier in (p.candidate.risk, plan.riskTier) if tier)
    must_sign, authors, people, is_told = among(policy.approvalsSigned), [], set(), False
    made = [*p["made"], *(attempt(listed, project, p, odd="record_mismatch") or [])]
    if policy.allowSelfApproval is False:
        authors = [p.candidate.openedBy, *(i for m in made for i in (m.author.id, m.author.get("for")))]
    for a in p["approvals"]:
        r = attempt(counted, project, a, p, source, policy, must_sign)
        if r and check(r.approver not in authors, "self_approval", r.approver) and check(
                r.passkey or not must_sign, "approval_signature_invalid", f"{a.id}: no passkey"):
            people.add(r.approver)
        else: is_told = True
    owes = plan.approvalRequired is True or among(policy.approvalRiskTiers)
    owed = max(p["approvalsRequired"], policy.approvalsRequired or 0 if owes else 0)
    is_enough = len(p.approvals) >= owed and (is_told or len(people) >= owed)
    check(is_enough, "approval_missing", f"{len(people)} of {owed}")

def listed(project, p):
    """The ChangeSets of a promotion whose statement had no room for them."""
    name, pack = f"made {p.candidate.id or ''}", project.pack
    if "madeOf" not in p or "records" in pack.without: return []
    data = project.records.kept("record", name, pack.records.get(name), p.madeOf["sha256"])
    made = [] if data is None else read_json(data)
    is_list = data is None or len(made) == p.madeOf["count"] and all(m["author"]["id"] for m in made)
    need(is_list, "record_mismatch", name)
    return made

def counted(project, a, p, source, policy, must_sign):
    """The record of an approval that counts."""
    carried, candidate, lane = a.carriedFrom, p.candidate, policy.lane
    is_same = carried.diff.sha256 == candidate.diff.sha256
    is_on = not policy or (lane.mode, lane.carryApprovals) == ("on", "same-blobs")
    check(not carried or (is_same and is_on and not must_sign), "approval_not_carried", a.id)
    r = project.records.record("approval", a["id"], a["record"]["sha256"])
    if not r: return None
    is_own = carried or r.candidateId == candidate.id
    need(is_own and a.tree == r.tree == (carried.tree or source.gitTree), "approval_other_tree", a.id)
    need(r.decision == "granted" and r.approver == a.approver, "approval_missing", a.id)
    if not r.passkey: return r
    owner = project.history.approvers.get(r.passkey.credential, NOTHING)
    need(owner.user == r.approver and r.decidedAt <= owner.until, "approver_unknown", r.passkey.credential)
    text = {name: r.get(name) for name in ("tree", "source", "plan", "decision", "approver")}
    text |= {"project": project.id, "change": r.changeId, "candidate": r.candidateId, "domain": "pawl-approval-v1"}
    is_bound = carried or (r.plan, r.source) == (p.plan.sha256, files_of(source))
    is_signed = is_bound and passkey_signed(r.passkey, owner, project.pack.sites, text)
    need(is_signed, "approval_signature_invalid", a.id)
    return r
