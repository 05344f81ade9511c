"""Releases and how they ended: which bundle is served, or may be."""
from .fields import NOTHING, Fields, bundle_of, of_commit
from .findings import check, need
from .records import unaddressed


def on_release(project, p, subject, name):
    bundle, n, of = bundle_of(subject), p["generation"], project.generations.get(p["generation"], NOTHING)
    need(bundle, "statement_unreadable", "it names no bundle")
    project.releases[name] = Fields(p, bundle=bundle)
    project.bundles.add(bundle)
    if p.channel == "production": project.under_way[name] = project.releases[name]
    if n is None: return
    need(of, "release_not_promoted", f"S{n} was not stated")
    if p.derivedFrom: check_derived(project, p.derivedFrom, bundle, of)
    elif check(not of.bundle or bundle in {of.bundle, *of.released}, "release_not_promoted", bundle):
        built = project.records.bundle(bundle)
        check(not built or (built.commit, built.tree) == of_commit(of.source), "release_not_promoted", bundle)
    of.released.add(bundle)

def check_derived(project, said, bundle, of):
    """A bundle that was built for another generation: the same, by its commit alone another one."""
    first = project.generations.get(said["generation"], NOTHING)
    is_there = said["sha256"] in {first.bundle or "", *first.released} or (first.old and not first.bundle)
    need(is_there and first.source.gitTree == of.source.gitTree, "bundle_not_derived", "no such bundle")
    made, original = project.records.bundle(bundle), project.records.bundle(said.sha256)
    is_same = made.commit == of.source.gitCommit and unaddressed(made) == unaddressed(original)
    check(is_same or not made or not original, "bundle_not_derived", "it is another one")

def on_outcome(project, p, *_):
    name, outcome, back, releases = p.release.get("sha256"), p["outcome"], p.restored, project.releases
    need(name is None or name in releases, "release_not_promoted", name)
    if p.channel != "production" or outcome == "superseded": return
    project.settled = True
    if outcome in ("deployed", "removed"):
        project.serving = releases.get(name, NOTHING) if outcome == "deployed" else NOTHING
        return project.under_way.clear()
    project.under_way.pop(name, None)
    before = [r for r in releases.values() if (r.channel, r.bundle) == (p.channel, back.sha256)]
    older = back and Fields(back, bundle=back.sha256, incarnation=-1, entry=-1)  # than statements
    if "restored" in p: project.serving = before[-1] if before else older
