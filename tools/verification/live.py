"""What is served now, held against what was released."""
from .envelope import Envelope
from .fields import NOTHING, of_commit
from .findings import attempt, check, here, need


def check_live(project):
    for live in project.pack.lives: attempt(check_served, project, live, odd="pack_unreadable")

def was_served(project, live):
    """What an older Project served before it had statements, until a release of it ended."""
    of, n = project.generations.get(live.get("generation"), NOTHING), live.get("generation")
    if not of or not project.adopted or project.settled or n > project.adopted.generation: return False
    if of.bundle == live.bundle: return True
    built = project.records.bundle(live.bundle)
    return (built.commit, built.tree) == of_commit(of.source)

def carries(project, live, may):
    """Whether its row carries the envelope of that entry, signed as it is in the chain: none where nobody has signed it
    yet, or where what is served is older than statements."""
    if "envelope" not in live: return True
    text = live["envelope"]
    if live.entry is NOTHING: return text is None and any(r.entry < 0 for r in may)
    there = [name for name, r in project.releases.items() if (r.bundle, r.entry) == (live.bundle, live.entry)]
    if text is None: return not there or any((name, None, None) in project.seals for name in there)
    e = Envelope(text.encode(errors="surrogatepass"))
    is_one = not e.faults and e.sha in there and (e.sha, e.keyid, e.sig) in project.seals
    return not there or is_one

def check_served(project, live):
    here[0] = "live"
    if not live.bundle: return check(not project.serving, "live_mismatch", "nothing is served")
    may = [r for r in [project.serving, *project.under_way.values()] if r.bundle == live.bundle]
    code = "live_mismatch" if live.bundle in project.bundles else "live_unstated"
    need(may or was_served(project, live), code, live.bundle)
    placed, place = [(r.channel, r.incarnation) for r in may if r.entry >= 0], (live.channel, live.incarnation)
    is_newest = live.entry is NOTHING or any(r.entry <= live.entry for r in may)
    of_it = {r.entry for r in project.releases.values() if r.bundle == live.bundle}
    is_there = check(not may or not placed or place in placed, "release_other_place")
    if may and is_there and check(is_newest, "release_superseded"):
        if check(live.entry is NOTHING or live.entry in of_it, "live_unstated", f"no release is entry {live.entry}"):
            check(any(r.generation == live.generation for r in may), "live_mismatch", f"S{live.generation}")
    if may: check(carries(project, live, may), "live_statement_mismatch", f"it carries entry {live.entry or 'none'}")
    b = project.records.bundle(live.bundle)
    for path, wanted in live.assets.items() if b else []:
        check(b.assets.manifest.get(path, NOTHING).sha256 == wanted, "live_asset_mismatch", path)
