"""A Project: its chain, and what is known of it after each statement."""
from .fields import NOTHING
from .findings import attempt, check, say
from .history import History
from .line import Line
from .policies import on_adopted, on_policy
from .promotion import on_promotion
from .records import Records
from .releases import on_outcome, on_release

STATED = {"promotion": on_promotion, "policy": on_policy, "release": on_release, "outcome": on_outcome,
          "adopted": on_adopted}


class Project:
    def __init__(self, pack):
        self.pack, self.id, self.history, self.records = pack, pack.project, History(pack), Records(pack)
        self.line, self.adopted, self.settled = Line(pack.project), NOTHING, False
        self.generations, self.newest, self.policies, self.version = {}, -1, {}, 0
        self.releases, self.bundles, self.serving, self.under_way = {}, set(), NOTHING, {}
        self.seals = set()  # what each release is, and who signed it how

    def chain(self):
        for n, e in self.pack.entries("statements.intoto.jsonl", "entry"):
            key = self.history.keys.get(e.keyid, NOTHING)
            is_over = key.ended and n >= key.ended.heads.get(self.id, 0)
            if e.waits: self.line.wait(n, e)
            elif e.keyid is not None:
                self.line.settle(n, self.pack.waiting)  # a signed one tells that those before it had theirs
                if check(key.use == "statement", "key_unknown", e.keyid) and check(
                        not is_over, "key_revoked" if key.ended.revoked else "key_retired", e.keyid):
                    check(e.signed_by(key.spki), "signature_invalid", e.keyid)
            self.line.step(e)
            if e.kind == "release": self.seals.add((e.sha, e.keyid, e.sig))
            if e.kind in STATED: attempt(STATED[e.kind], self, e.facts, e.subject, e.sha)
            elif e.kind in ("key", "approver"): say("type_unknown", "it belongs into the instance's chain")
        if self.adopted and not self.adopted.done: say("adopted_mismatch", "not all is stated", self.adopted.where)
