"""Where a chain stands, and the Merkle tree over it (RFC 6962)."""
import base64, re
from .fields import NOTHING, digest
from .findings import check, found, here, notes, say


def root(leaves):
    if len(leaves) < 2: return leaves[0] if leaves else digest(b"")
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return digest(b"\1" + root(leaves[:left]) + root(leaves[left:]))


class Line:
    """Dense, linked, never back in time, of one Project, in an epoch that was begun."""
    def __init__(self, project):
        self.project, self.entry, self.previous, self.at, self.epoch = project, 0, NOTHING, "", 1
        self.leaves, self.restored, self.unsigned = [], [], []

    def step(self, e):
        p, self.previous, before = e.facts, e.sha, self.previous
        self.leaves.append(digest(b"\0" + e.body))
        self.entry, entry = p.get("entry", self.entry) + 1, self.entry
        if not p: return
        check(p.project == self.project, "project_mismatch", p.project)
        if check(p.entry == entry, "chain_gap", f"it says that it is entry {p.entry}"):
            check(before in (None, p.previous.sha256), "chain_broken")
        check(p.at >= self.at, "time_backwards", f"{p.at} after {self.at}")
        check(p.epoch - self.epoch == (e.kind == "restored"), "history_lost", f"epoch {p.epoch}")
        if e.kind == "restored": self.restored.append(p)
        if e.kind == "restored" and self.project != "instance": say("epoch_begun", f"lost: {p.get('lost')}", to=notes)
        self.at, self.epoch = p.at, p.epoch

    def covers(self, size, top):
        """Whether these are the first entries, by the root of their tree."""
        return size <= len(self.leaves) and base64.b64encode(root(self.leaves[:size])).decode() == top

    def wait(self, n, e): self.unsigned.append((n, here[0], e.facts.at or ""))

    def settle(self, covered, waiting):
        """So many entries are known to have been signed; the youngest others wait."""
        for n, where, at in self.unsigned:
            is_young = waiting["from"] <= at <= waiting["to"]
            if n < covered: say("signature_missing", "", where)
            else: say("statement_unsigned", at, where, notes if is_young else found)
        self.unsigned = []

    def head(self, rest, head, name):
        """What the signer remembers of this log, in an epoch that `rest` names. Answers how much it signed."""
        form = re.fullmatch("(?:/([2-9]|[1-9][0-9]{1,8}))?", rest)
        epoch, same = int(form[1] or 1) if form else 0, self.covers(head["size"], head["root"])
        is_longer = head["size"] > len(self.leaves)
        words = f"the signer has signed {head['size']}, {len(self.leaves)} are here"
        if not is_longer: words = f"the first {head['size']} are not those that the signer has signed"
        if epoch > self.epoch: words = f"the signer is in epoch {epoch}, the chain in {self.epoch}"
        if epoch > self.epoch or epoch == self.epoch and not same: say("log_behind", words, name)
        return head["size"] if epoch == self.epoch and (same or is_longer) else 0
