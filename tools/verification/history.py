"""The history of keys and passkeys: the instance's chain, from the first key on that is trusted."""
from .envelope import FOREVER
from .fields import NOTHING, Fields
from .findings import attempt, check, here, need
from .line import Line
from .signatures import holds, keyid_of, passkey_signed


class History:
    def __init__(self, pack):
        self.trust, self.sites, self.keys, self.approvers = pack.keys, pack.sites, {}, {}
        self.line, self.log_lines, self.is_whole, here[0] = Line("instance"), [], False, "key 0"
        for n, e in pack.entries("keys.intoto.jsonl", "key"):
            here[0] = f"key {n - len(self.line.unsigned)}"
            if e.waits: self.line.wait(n, e)
            elif self.line.unsigned: return self.line.settle(n if e.keyid else 0, pack.waiting)
            elif e.faults or not attempt(self.entry, n, e): return
        self.line.settle(0, pack.waiting)
        self.is_whole = check(self.keys, "key_not_trusted", "there is no key")

    def entry(self, n, e):
        need(e.kind in ("key", "approver", "restored"), "type_unknown", e.kind)
        p, self.line.entry = e.facts, n
        is_own = e.kind == "key" and keyid_of(p.spki) == p.keyid
        own = Fields(spki=p.spki, use=p["use"], keyid=p.keyid) if is_own else NOTHING
        is_trusted = own and p.keyid in self.trust
        need(n or is_trusted, "key_not_trusted", p.keyid)
        by = self.keys.get(e.keyid, NOTHING)
        may = not by.ended and (by.use == "statement" or by.use == "recovery" and e.kind == "key")
        if not may: by = own if is_trusted and e.keyid == p.keyid else NOTHING  # as after a break
        need(by, "key_unknown", e.keyid)
        need(e.signed_by(by.spki), "signature_invalid", e.keyid)
        self.line.step(e)
        if e.kind == "approver": check(self.enrolled(p), "approver_unknown", p.credential)
        if e.kind != "key": return True
        need(own and holds(own.spki, p["proof"], f"pawl-key-v1 {p.keyid}".encode()), "key_proof_invalid", p.keyid)
        if own.use == "log" and p.keyid not in self.keys: self.take_log_key(p)
        self.keys.setdefault(p.keyid, own)
        for said in p.retires or []: self.retire(self.keys.get(said["keyid"], Fields()), said)
        return True

    def take_log_key(self, p):
        """Keys of the log stand in lines: each was handed over to by the one before it."""
        before = self.keys[self.log_lines[-1][-1]] if self.log_lines else NOTHING
        is_own = before and p.handover.keyid == before.keyid
        is_given = is_own and holds(before.spki, p.handover.sig, f"pawl-log-v1 {p.keyid}".encode())
        if not is_given: self.log_lines.append([])
        self.log_lines[-1].append(p.keyid)

    def log_keys(self, spki, chain, size):
        """The keys that may have made a checkpoint of this size: those in a line with the trusted one."""
        line = next((line for line in self.log_lines if keyid_of(spki) in line), None)
        if line is None: return [] if self.is_whole else [spki]  # one that is whole has introduced it
        return [k.spki for k in map(self.keys.get, line) if not k.ended or size <= k.ended.heads.get(chain, 0)]

    def retire(self, key, said):
        before = key.ended.heads  # a long list stands in several entries, of which none allows more
        heads = {chain: min(size, before.get(chain, size)) for chain, size in said["heads"].items()}
        key["ended"] = Fields(heads=before | heads, revoked=said.revoked is True or key.ended.revoked)

    def enrolled(self, p):
        known = self.approvers.get(p.credential)
        if p.removed is True: return known is not None and not known.update(until=p.at)
        by = self.approvers.get(p.endorsement.get("credential"), NOTHING)
        text = {name: p[name] for name in ("credential", "spki", "user", "rpId")}
        text |= {"domain": "pawl-approver-v1", "owner": p.owner is True}
        is_owner = by.owner is True and by.until == FOREVER
        may = is_owner and passkey_signed(p.endorsement, by, self.sites, text)
        if known or self.approvers and not may: return False
        self.approvers[p.credential] = Fields(p, until=FOREVER)
        return True
