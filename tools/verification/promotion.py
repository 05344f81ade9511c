"""A promotion: that it follows the one before it, and what it stood on."""
from .approvals import check_approvals
from .evidence import check_evidence
from .fields import NOTHING, Fields, bundle_of, files_of, of_commit
from .findings import check, here, need
from .policies import adopt, policy_of


def on_promotion(project, p, subject, _):
    n, source, bundle, records = p["generation"], subject[0].digest, bundle_of(subject), project.records
    need(all(of_commit(source)), "statement_unreadable", "it names no commit")
    is_old = bool(project.adopted and n <= project.adopted.generation)
    check(bool(p.adopted) == is_old, "adopted_mismatch", f"S{n}")
    follow(project, p, source)
    project.generations[n] = Fields(source=source, where=here[0], bundle=bundle, released=set(), old=is_old)
    project.newest = n
    if is_old: adopt(project.adopted, p)
    policy = policy_of(project, p, is_old)
    at, who = p.adopted.promotedAt or p.at, p["actor"]["id"]
    frozen = [f for f in policy.freezes if f["from"] <= at < f["until"] and who not in (f.get("except") or [])]
    check(not frozen or not p.candidate or p.trigger == "rollback", "promoted_while_frozen", at)
    plan = records.record("plan", p.candidate.id, p.plan.sha256) if p.candidate and p.plan else NOTHING
    check_evidence(records, p, source, bundle, policy, plan)
    check_approvals(project, p, source, policy, plan)
    if p.packages: records.thing("sbom", p.packages.sbom["sha256"])
    if bundle: records.bundle(bundle)
    project.bundles.add(bundle)

def follow(project, p, source):
    """A generation follows the one before it; a rollback has the tree of the one that it goes back to."""
    generations, newest, base, back = project.generations, project.newest, p.base, p.get("rollbackTo")
    before = generations.get(newest, NOTHING).source
    is_same = base.generation == newest and of_commit(base.digest) == of_commit(before)
    is_same = is_same and files_of(base.digest) in (NOTHING, files_of(before))
    if check(p.generation == newest + 1, "generation_gap", f"it follows S{newest}"):
        check(is_same if before else not base, "base_mismatch")
    if p.trigger == "rollback" or back is not None:
        check(generations.get(back, NOTHING).source.gitTree == source.gitTree, "rollback_tree_mismatch", f"S{back}")
