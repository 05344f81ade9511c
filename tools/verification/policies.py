"""Policies, and what an older Project stood on when it was adopted."""
from .fields import NOTHING, Fields, sha
from .findings import check, here, need, say


def on_policy(project, p, subject, _):
    version, wanted = p["version"], subject[0].digest.sha256
    need(version > project.version, "policy_rolled_back", f"{version} after {project.version}")
    text = project.records.record("policyVersion", version, wanted)
    if text and not check(text.version == version, "record_mismatch", version): text = NOTHING
    project.version, project.policies[version] = version, Fields(sha256=wanted, text=text)
    check(not project.adopted or project.adopted.done, "adopted_mismatch", "a Policy in the middle")

def policy_of(project, p, is_old):
    """The Policy that a promotion names, where it is the one in force."""
    version, known = p.policy.version, project.policies.get(p.policy["version"], NOTHING)
    is_same = known.sha256 == p.policy.sha256
    words = f"version {version}, in force is {project.version}"
    if known and not is_same: words = f"version {version} has another digest"
    is_known = is_same and (is_old or version == project.version)
    return known.text if check(is_known, "policy_mismatch", words) else NOTHING

def on_adopted(project, p, *_):
    need(project.newest < 0 and not project.adopted, "adopted_mismatch", "there is a chain already")
    lines = {f"policyVersion {version} {policy.sha256}\n" for version, policy in project.policies.items()}
    project.adopted = Fields(p, where=here[0], done=False, lines=lines)

def adopt(adopted, p):
    """Counts what an older generation stood on; with the last one all of it must be what was adopted."""
    named = [("policyVersion", p.policy.version, p.policy)]
    named += [("evidence", c.id, c.record) for c in p.checks] + [("approval", a.id, a.record) for a in p.approvals]
    adopted.lines.update(f"{kind} {id} {record['sha256']}\n" for kind, id, record in named)
    if p.generation < adopted.generation: return
    adopted["done"], lines = True, sorted(adopted.lines)
    if adopted.records != {"count": len(lines), "sha256": sha("".join(lines).encode())}:
        say("adopted_mismatch", f"{len(lines)} other records", adopted.where)
