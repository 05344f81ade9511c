#!/usr/bin/env python3
"""Verifies a pack of Pawl offline: keys, statements, log, records, objects, repository, and what is live.

    verify.py <pack> [--key SHA256:... as often as there are keys] [--json] [--accept-restore]
    exit 0: nothing found, 1: findings, 2: it cannot be read, or no key is trusted

It shares no code with Pawl: Python 3 with `cryptography` (Debian: python3-cryptography) and git. What a pack holds
is told in docs/reference/statements.md, what each code means in docs/reference/verify.md.

Whom to believe is for you to say: `--key` is the id of the first key, as its operator tells it elsewhere. Without it
the keys in the pack's own trust.json are believed, and a whole other history under other keys passes. Of trust.json
these are believed in any case: of which Project it is, the name of its log, on which sites passkeys sign, what its
maker could not read (`without`), and what may be gone (`outputsSince`) or unsigned (`waiting`, two minutes at most).

In this order: FIELDS (what a record must have) and what says a finding (`say`, `check`, `need`, `attempt`); digests,
signatures, passkeys; Envelope; Repository; Folder (a pack); Line (a chain's places); History (keys); Project. There each
kind of statement has its `on_<kind>`. A promotion's checks are `checks` (a row alone) and `repeated`; its approvals
`approvals`, `approval`. A new rule is a `check(what must be so, code, words)` there, and a tampering in
packages/testing/src/provenance, which both verifiers must tell alike.
"""
import base64, hashlib, json, os, re, sys, zlib
from datetime import datetime
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key

FOREVER = "9999"  # no instant is later
ODD = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError)  # of hostile data
KINDS = {f"urn:pawl:attestation:{kind}:v1": kind for kind in (
    "promotion", "policy", "release", "outcome", "adopted", "restored", "key", "approver")}
TYPE, STATEMENT = "application/vnd.in-toto+json", "https://in-toto.io/Statement/v1"
ED25519 = bytes.fromhex("302a300506032b6570032100")  # what the SPKI of a key begins with
P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
NOTE = re.compile(r"((.+)\n(0|[1-9][0-9]{0,14})\n(.+)\n(?:.+\n)*)\n((?:— [^ \n]+ [^ \n]+\n)+)")  # C2SP
SITE = re.compile(r"https://([a-z0-9._-]+)(?::[0-9]+)?|http://((?:[a-z0-9._-]+\.)?localhost)(?::[0-9]+)?")
KEYID = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
LOOSE = re.compile(r"[0-9a-f]{2}/[0-9a-f]{38}")
GIT = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0",
       "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
FIELDS = {  # what each must have
    "trust.json": "keys log origins", "live.json": "bundle generation channel incarnation assets", "heads.json": "",
    "bundle": "commit tree modules assets", "plan": "riskTier approvalRequired checks",
    "evidence": "subject checkId status result commit tree outputDigest",
    "approval": "candidateId changeId tree decision approver decidedAt", "policyVersion":
    "version approvalRiskTiers requiredChecks allowSelfApproval approvalsRequired waivedChecks"}

class Fields(dict):
    """An object of JSON. A field that is not there, or null, is an empty one: the same can be asked of it."""
    def __getattr__(self, name): return NOTHING if self.get(name) is None else self[name]

class Fault(Exception):
    """What is wrong with something of which no more can be said: a code, words, where."""

NOTHING, found, notes, here = Fields(), [], [], ["pack"]  # findings, what is worth knowing, what is looked at

def say(code, words="", where=None, to=found):
    to.append({"code": code, "where": where or here[0], "words": str(words)[:200]})
def check(good, code, words=""):
    """Says a code unless something is so. Answers whether it is."""
    return bool(good) or bool(say(code, words))
def need(good, code, words="", where=None):
    """The same of what no more can be said without."""
    if not good: raise Fault(code, words, where)
def attempt(work, *args, odd="statement_unreadable"):
    """Does some work. Answers None where it had to end, and says why."""
    try: return work(*args)
    except Fault as fault: say(*fault.args)
    except ODD as error: say(odd, repr(error))

def digest(data): return hashlib.sha256(data).digest()
def sha(data): return digest(data).hex()
def canonical(value): return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
def b64(text, others=b"+/"):
    raw = base64.b64decode(text, others, validate=True)
    if base64.b64encode(raw, others).decode() != text: raise ValueError("base64 in another form")
    return raw
def b64url(text):
    if "=" in text: raise ValueError("base64url has no padding")
    return b64(text + "=" * (-len(text) % 4), b"-_")
def read_json(data, limit=1 << 27):
    def once(pairs):  # what is there twice is read by one program so, and by another otherwise
        if len({name for name, _ in pairs}) != len(pairs): raise ValueError("a key is there twice")
        return Fields(pairs)
    if len(data) > limit: raise ValueError("too long")
    return json.loads(data.decode(), object_pairs_hook=once, parse_constant=int)  # no int is NaN
def shaped(value, kind):
    """An object of JSON with all the fields of its kind."""
    if not set(FIELDS[kind].split()) <= set(fields := Fields({**value})): raise ValueError(f"it is no {kind}")
    return fields
def files_of(source): return source.dirHash or source.dirHash1
def bundle_of(subject): return next((each.digest["sha256"] for each in subject if each.name == "bundle.json"), None)
def of_commit(source): return source.gitCommit, source.gitTree
def keyid_of(spki):
    try: return "SHA256:" + base64.b64encode(digest(b64(spki))).decode().rstrip("=")
    except ODD: return None
def holds(spki, signature, message, kinds=(ED25519, P256)):
    """Whether the signature (bytes, or base64) is this key's, of these kinds. What is odd is no signature."""
    try:
        key, signature = b64(spki), b64(signature) if isinstance(signature, str) else signature
        how = () if key.startswith(ED25519) else (ec.ECDSA(hashes.SHA256()),)
        return key.startswith(kinds) and load_der_public_key(key).verify(signature, message, *how) is None
    except (InvalidSignature, UnsupportedAlgorithm, *ODD): return False
def passkey_signed(assertion, owner, sites, text):
    """Whether an enrolled passkey (WebAuthn) has signed this text, on one of these sites or one of its name."""
    try:
        client, device = b64url(assertion.clientDataJSON), b64url(assertion.authenticatorData)
        said = read_json(client)
        site = SITE.fullmatch(said.origin)
        is_site = said.origin in sites if sites else site and f".{site[1] or site[2]}".endswith(f".{owner.rpId}")
        is_present = len(device) >= 37 and device[:32] == digest(owner.rpId.encode()) and device[32] & 5 == 5
        is_asked = said.type == "webauthn.get" and b64url(said.challenge) == digest(canonical(text))
        is_signed = holds(owner.spki, b64url(assertion.signature), device + digest(client), P256)
        return bool(is_site and not said.crossOrigin and is_asked and is_present and is_signed)
    except ODD: return False
def root(leaves):
    """The root of a Merkle tree (RFC 6962)."""
    if len(leaves) < 2: return leaves[0] if leaves else digest(b"")
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return digest(b"\1" + root(leaves[:left]) + root(leaves[left:]))

class Envelope:
    """A DSSE envelope, read as far as it can be: one fault is not told as ten. `facts` is the predicate."""
    body, sha, keyid, sig, kind, subject, facts = b"", None, None, None, None, [], NOTHING
    def __init__(self, line):
        self.faults = []
        try: self.read(line)
        except ODD as error: self.faults.append(("statement_unreadable", error))
    def read(self, line):
        outer = read_json(line, 65536)
        body, signatures = b64(outer["payload"]), outer["signatures"]
        if not isinstance(signatures, list) or len(signatures) > 1: raise ValueError("not one signature")
        for each in signatures: self.keyid, self.sig = each["keyid"] + "", each["sig"] + ""
        self.body, self.sha = body, sha(body)
        if outer.payloadType != TYPE: self.faults.append(("envelope_type", outer.payloadType))
        if not signatures: self.faults.append(("signature_missing", ""))
        said = read_json(body, 32768)
        facts, kind = said.predicate, KINDS.get(said.predicateType if said._type == STATEMENT else None)
        if kind is None: self.faults.append(("type_unknown", said.predicateType))
        elif INSTANT.fullmatch(facts["at"]) and isinstance(facts["entry"] + facts["epoch"], int):
            self.kind, self.subject, self.facts = kind, [*said["subject"]], facts
        else: raise ValueError("it has no place in a chain")
    def signed_by(self, spki):
        return holds(spki, self.sig, f"DSSEv1 {len(TYPE)} {TYPE} {len(self.body)} ".encode() + self.body)

class Repository:
    """A bare repository, read by git, with no setting of it that could run a program or open a connection."""
    def __init__(self, folder):
        self.folder, self.packs, self.trees, self.blobs = folder, sorted(folder.glob("objects/pack/*.idx")), {}, {}
        self.damaged = set()
        with self.begun("cat-file", "--batch-all-objects", "--batch-check=%(objectname)") as names:
            ids = names.stdout.read().decode().split()
        while ids := ids[self.take(ids):]: self.damaged.add(ids.pop(0))  # git ends at one that it cannot read
    def take(self, ids):
        """Reads these objects. Answers how many of them git could read."""
        with TemporaryFile() as names:
            names.write("".join(f"{id}\n" for id in ids).encode())
            names.seek(0)
            with self.begun("cat-file", "--batch", given=names) as objects:
                for n, id in enumerate(ids):
                    head = objects.stdout.readline().split()
                    if not head: return n
                    if len(head) < 3: continue  # it is missing
                    data = objects.stdout.read(int(head[2]) + 1)
                    if len(data) != int(head[2]) + 1: return n
                    if head[1] == b"commit": self.trees[id] = data[5:45].decode()
                    if head[1] == b"blob": self.blobs[id] = sha(data[:-1])
        return len(ids)
    def loose(self):
        """The damaged ones of the objects that lie in files of their own."""
        def is_damaged(path):
            try: data = zlib.decompressobj().decompress(path.read_bytes(), 1 << 27)
            except (OSError, zlib.error): return True
            return hashlib.sha1(data).hexdigest() != path.parent.name + path.name
        paths = [path for path in self.folder.glob("objects/??/*") if LOOSE.fullmatch("/".join(path.parts[-2:]))]
        return sorted(path.parent.name + path.name for path in paths if is_damaged(path))
    def need(self, id):
        need(id not in self.damaged, "pack_unreadable", f"the object {id} is damaged", "repo.git")
    def begun(self, *args, given=DEVNULL):
        safe = ["-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
        command = ["git", *safe, "--git-dir", str(self.folder), *args]
        return Popen(command, env=GIT, stdin=given, stdout=PIPE, stderr=DEVNULL)
    def git(self, *args):
        """What git prints; None where it fails."""
        with self.begun(*args) as process: said = process.stdout.read()
        return None if process.returncode else said
    def files(self, tree):
        """SHA-256 over a line `<sha256>  <path>` for each file of a tree, by the bytes of their paths."""
        entries = [line.split(b"\t", 1) for line in self.git("ls-tree", "-rz", "--full-tree", tree).split(b"\0")[:-1]]
        files = sorted((path, meta.split()[2].decode()) for meta, path in entries if b" commit " not in meta)
        for _, id in files: self.need(id)
        return sha(b"".join(f"{self.blobs[id]}  ".encode() + path + b"\n" for path, id in files))

class Folder:
    """A pack as it lies there, and whom to believe. What cannot be read at all is told by its name."""
    def __init__(self, folder, keys):
        self.folder, self.objects = folder, {path.name: path for path in folder.glob("objects/*")}
        is_pack = (folder / "trust.json").exists()
        need(is_pack, "pack_unreadable", "it is no pack: make one with pawl verify <what> --pack <folder>", "trust.json")
        self.trust = shaped(self.read("trust.json", read_json, {}), "trust.json")
        self.keys = keys or self.trust["keys"]
        need(self.keys, "pack_unreadable", "no key is trusted: give --key SHA256:...", "trust.json")
        self.origin, self.sites, self.without = self.trust.log.origin, self.trust["origins"], self.trust.without
        self.project = re.fullmatch(r".+/log/([^/]+)", self.origin)[1]
        self.waiting = w = self.trust.waiting or Fields({"from": FOREVER, "to": ""})
        is_brief = all(map(INSTANT.fullmatch, (w["from"], w["to"])))
        is_brief = is_brief and 0 <= seconds({"startedAt": w["to"]}, {"finishedAt": w["from"]}) <= 120
        if not is_brief: self.waiting = Fields({"from": FOREVER, "to": ""})  # more than one moment excuses nothing
        self.heads = shaped(self.read("heads.json", read_json, {}), "heads.json")
        live = self.read("live.json", read_json, [])
        self.lives = [shaped(each, "live.json") for each in (live if isinstance(live, list) else [live])]
        notes = ("checkpoint", "keys.checkpoint", "seen")
        self.checkpoint, self.keys_checkpoint, self.seen = (self.read(name, bytes.decode) for name in notes)
        need(self.checkpoint is not None, "pack_unreadable", "it is not there", "checkpoint")
        pairs = [read_json(line) for line in self.lines("records.ndjson")]
        self.records = {name: text.encode() for name, text in pairs}
        if len(self.records) < len(pairs): raise ValueError("a record is there twice")
    def read(self, name, parse, otherwise=None):
        here[0], path = name, self.folder / name
        return parse(path.read_bytes()) if path.exists() else otherwise
    def lines(self, name):
        data = self.read(name, bytes, b"" if name == "records.ndjson" else None)
        need(data is not None, "pack_unreadable", "it is not there", name.split(".")[0])
        *lines, rest = data.split(b"\n")
        return lines + [b"\xff"] * bool(rest)  # what has no newline at its end was cut
    def entries(self, name, label):
        for n, line in enumerate(self.lines(name)):
            e = Envelope(line)
            is_about = label == "entry" and e.facts.generation is not NOTHING
            here[0] = f"{label} {n}" + (f" (S{e.facts.generation})" if is_about else "")
            is_alone = label == "entry" or len(e.faults) == 1
            e.waits = is_alone and any(code == "signature_missing" for code, _ in e.faults)
            for fault in e.faults: e.waits and fault[0] == "signature_missing" or say(*fault)
            yield n, e

class Line:
    """Where a chain stands: dense, linked, never back in time, of one Project, in an epoch that was begun."""
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
        """Whether these are the first entries, by the root of their Merkle tree."""
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
        words = f"the signer has signed {head['size']}, {len(self.leaves)} are here"
        if head["size"] <= len(self.leaves): words = f"the first {head['size']} are not those that the signer has signed"
        if epoch > self.epoch: words = f"the signer is in epoch {epoch}, the chain in {self.epoch}"
        if epoch > self.epoch or epoch == self.epoch and not same: say("log_behind", words, name)
        return head["size"] if epoch == self.epoch and (same or head["size"] > len(self.leaves)) else 0

class History:
    """Keys and passkeys, told by the instance's chain from the first key on that `trust` names."""
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
        may = by.owner is True and by.until == FOREVER and passkey_signed(p.endorsement, by, self.sites, text)
        if known or self.approvers and not may: return False
        self.approvers[p.credential] = Fields(p, until=FOREVER)
        return True

def seconds(row, earlier):
    """From the end of a check to the beginning of another; less than nothing where no instants are given."""
    instants = row.get("startedAt"), earlier.get("finishedAt")
    try: began, ended = (datetime.fromisoformat(at.replace("Z", "+00:00")) for at in instants)
    except ODD: return -1
    return (began - ended).total_seconds()

def unaddressed(b):
    """All of a bundle but what names its commit."""
    return {k: b[k] for k in b if k not in ("commit", "builtAt", "sbom")}, bool(b.sbom)

class Project:
    """What is known of a Project after each statement."""
    def __init__(self, pack, accept):
        self.pack, self.accept, self.history, self.project = pack, accept, History(pack), pack.project
        self.line, self.looked, self.adopted, self.settled = Line(pack.project), set(), NOTHING, False
        self.generations, self.newest, self.policies, self.version = {}, -1, {}, 0
        self.releases, self.bundles, self.serving, self.under_way = {}, set(), NOTHING, {}

    # Records and objects, each kept under what statements name.
    def kept(self, kind, name, data, wanted):
        if check(data is not None, f"{kind}_missing", name):
            if check(sha(data) == wanted, f"{kind}_mismatch", name): return data
    def record(self, kind, id, wanted):
        if "records" in self.pack.without: return NOTHING
        data = self.kept("record", f"{kind} {id}", self.pack.records.get(f"{kind} {id}"), wanted)
        read = lambda: shaped(read_json(data), kind)
        return NOTHING if data is None else attempt(read, odd="record_mismatch") or NOTHING
    def thing(self, kind, wanted, at=None):
        """The bytes of an object. What is wrong with it is said once."""
        data = self.pack.objects[wanted].read_bytes() if wanted in self.pack.objects else None
        is_new = (kind, wanted, at) not in self.looked
        self.looked.add((kind, wanted, at))
        if data is None and "objects" in self.pack.without: return None
        if data is None and at and at < (self.pack.trust.outputsSince or ""): return say("output_expired", at, to=notes)
        if is_new: return self.kept("record" if kind == "sbom" else kind, wanted, data, wanted)
        return data if data is not None and sha(data) == wanted else None
    def bundle(self, wanted):
        """A bundle.json that is there whole; the first time with all that it names."""
        is_new, data = ("bundle", wanted, None) not in self.looked, self.thing("bundle", wanted)
        if data is None: return NOTHING
        try:
            b = shaped(read_json(data), "bundle")
            parts = [("asset", file["sha256"]) for file in b.assets["manifest"].values()]
            parts += [("asset", m["sha256"]) for m in [*b.modules.values(), *b.maps.values()] if m.object]
            parts += [("sbom", each["sha256"]) for each in [b.sbom] if each]
        except ODD: return is_new and say("bundle_mismatch", wanted) or NOTHING
        for part in parts if is_new else []: self.thing(*part)
        return b

    # The Project's chain, and what each kind of statement says.
    def chain(self):
        for n, e in self.pack.entries("statements.intoto.jsonl", "entry"):
            key = self.history.keys.get(e.keyid, NOTHING)
            is_over = key.ended and n >= key.ended.heads.get(self.project, 0)
            if e.waits: self.line.wait(n, e)
            elif e.keyid is not None:
                self.line.settle(n, self.pack.waiting)  # a signed one tells that those before it had theirs
                if check(key.use == "statement", "key_unknown", e.keyid) and check(
                        not is_over, "key_revoked" if key.ended.revoked else "key_retired", e.keyid):
                    check(e.signed_by(key.spki), "signature_invalid", e.keyid)
            self.line.step(e)
            if e.facts: attempt(getattr(self, f"on_{e.kind}"), e.facts, e.subject, e.sha)
        if self.adopted and not self.adopted.done: say("adopted_mismatch", "not all is stated", self.adopted.where)
    def on_key(self, *_): say("type_unknown", "it belongs into the instance's chain")
    on_approver = on_key
    def on_restored(self, *_): "Its line knows it."
    def on_policy(self, p, subject, _):
        version, wanted = p["version"], subject[0].digest.sha256
        need(version > self.version, "policy_rolled_back", f"{version} after {self.version}")
        text = self.record("policyVersion", version, wanted)
        if text and not check(text.version == version, "record_mismatch", version): text = NOTHING
        self.version, self.policies[version] = version, Fields(sha256=wanted, text=text)
        check(not self.adopted or self.adopted.done, "adopted_mismatch", "a Policy in the middle")
    def on_adopted(self, p, *_):
        need(self.newest < 0 and not self.adopted, "adopted_mismatch", "there is a chain already")
        lines = {f"policyVersion {version} {policy.sha256}\n" for version, policy in self.policies.items()}
        self.adopted = Fields(p, where=here[0], done=False, lines=lines)
    def adopt(self, p):
        """Counts what an older generation stood on; with the last one all of it must be what was adopted."""
        named = [("policyVersion", p.policy.version, p.policy)]
        named += [("evidence", c.id, c.record) for c in p.checks] + [("approval", a.id, a.record) for a in p.approvals]
        self.adopted.lines.update(f"{kind} {id} {record['sha256']}\n" for kind, id, record in named)
        if p.generation < self.adopted.generation: return
        self.adopted["done"], lines = True, sorted(self.adopted.lines)
        if self.adopted.records != {"count": len(lines), "sha256": sha("".join(lines).encode())}:
            say("adopted_mismatch", f"{len(lines)} other records", self.adopted.where)
    def follow(self, p, source):
        """A generation follows the one before it; a rollback has the tree of the one that it goes back to."""
        before, base, back = self.generations.get(self.newest, NOTHING).source, p.base, p.get("rollbackTo")
        is_same = base.generation == self.newest and of_commit(base.digest) == of_commit(before)
        is_same = is_same and files_of(base.digest) in (NOTHING, files_of(before))
        if check(p.generation == self.newest + 1, "generation_gap", f"it follows S{self.newest}"):
            check(is_same if before else not base, "base_mismatch")
        if p.trigger == "rollback" or back is not None:
            tree = self.generations.get(back, NOTHING).source.gitTree
            check(tree == source.gitTree, "rollback_tree_mismatch", f"S{back}")
    def on_promotion(self, p, subject, _):
        n, source, bundle = p["generation"], subject[0].digest, bundle_of(subject)
        need(all(of_commit(source)), "statement_unreadable", "it names no commit")
        is_old = bool(self.adopted and n <= self.adopted.generation)
        check(bool(p.adopted) == is_old, "adopted_mismatch", f"S{n}")
        self.follow(p, source)
        self.generations[n] = Fields(source=source, where=here[0], bundle=bundle, released=set(), old=is_old)
        self.newest = n
        if is_old: self.adopt(p)
        known = self.policies.get(p.policy["version"], NOTHING)
        is_known = (is_old or p.policy.version == self.version) and known.sha256 == p.policy.sha256
        words = f"version {p.policy.version}, in force is {self.version}"
        if known and known.sha256 != p.policy.sha256: words = f"version {p.policy.version} has another digest"
        policy = known.text if check(is_known, "policy_mismatch", words) else NOTHING
        at, who = p.adopted.promotedAt or p.at, p["actor"]["id"]
        frozen = [f for f in policy.freezes if f["from"] <= at < f["until"] and who not in (f.get("except") or [])]
        check(not frozen or not p.candidate or p.trigger == "rollback", "promoted_while_frozen", at)
        plan = self.record("plan", p.candidate.id, p.plan.sha256) if p.candidate and p.plan else NOTHING
        self.checks(p, source, bundle, policy, plan)
        self.approvals(p, source, policy, plan)
        if p.packages: self.thing("sbom", p.packages.sbom["sha256"])
        if bundle: self.bundle(bundle)
        self.bundles.add(bundle)
    def checks(self, p, source, bundle, policy, plan):
        """The checks that a promotion stood on, their waivers and evidence, and those that it lacks."""
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
            e = self.record("evidence", c["id"], c["record"]["sha256"])
            stated = (source.gitTree, source.gitCommit, p.candidate.id, id, c.result, output, c.retryOf.id)
            is_own = stated == (e.tree, e.commit, e.subject.candidateId, e.checkId, e.result, e.outputDigest, e.retryOf)
            if e and check(is_own, "evidence_of_other", c.id):
                check(e.result != "pass" or e.status == "checked_supported", "check_unsatisfied", id)
            check(e.bundleDigest in (NOTHING, bundle), "bundle_not_verified", c.id)
            if e and c.retryOf: self.retried(c.retryOf, e)
            was = self.repeated(c, e, plan) if e else NOTHING
            kept = output and self.thing("output", output, (was or e).get("finishedAt"))
            if was and e.bundleDigest and bundle and kept: self.given(kept, self.bundle(bundle), source)
    def repeated(self, c, e, plan):
        """The row of another Candidate that this one repeats: it asked the same of the same files, not long ago."""
        code, was = "evidence_reuse_mismatch", c.reuses
        if not check(e.get("reuses") == was.get("id"), code, c.id) or not was: return NOTHING
        was = self.record("evidence", was["id"], was["record"]["sha256"])
        if not was: return NOTHING
        reuse, guarantees = plan.reuse if plan else "inputs", was.runner.get("guarantees") or []
        def same(name): return was.get(name) is not None and was.get(name) == e.get(name)
        saw = same("tree") or reuse == "inputs" and same("inputsDigest")
        passes = all((row.result, row.status) == ("pass", "checked_supported") for row in (e, was))
        closed = {"network-denied", "clean-environment"} <= {*guarantees} or "bundleDigest" in e
        may = reuse and was.subject.candidateId and saw and passes and closed
        may = may and all(map(same, ("checkId", "checkDigest", "runnerDigest", "outputDigest")))
        may = may and ("bundleDigest" in e) == ("bundleDigest" in was)
        may = may and not {"reuses", "retryOf", "waived"} & {*was} and 0 <= seconds(e, was) <= 86_400
        check(may, code, c.id)
        return was
    def retried(self, named, e):
        """The failure that this row is the one retry of: both are there, of the same check, tree and Candidate, with what it printed."""
        failure = self.record("evidence", named["id"], named["record"]["sha256"])
        def of(row): return row.checkId, row.tree, row.commit, row.subject.candidateId
        is_one = failure.result == "fail" and "retryOf" not in failure and of(e) == of(failure)
        is_later = is_one and "reuses" not in e and e.get("attempt", 0) > failure.get("attempt", 0)
        check(not failure or is_later and e.result == "pass", "evidence_retry_mismatch", e.checkId)
        if failure.outputDigest: self.thing("output", failure.outputDigest, failure.finishedAt)
    def given(self, kept, made, source):
        """A bundle that was given to another commit: the same as the earlier build's, whose output it is."""
        try: was = shaped(read_json(kept), "bundle")
        except ODD: return
        same = made.commit == source.gitCommit and unaddressed(made) == unaddressed(was)
        check(same or not made, "evidence_reuse_mismatch", "another bundle")
    def approvals(self, p, source, policy, plan):
        """Whether the approvals that count are enough."""
        among = lambda tiers: any(tier in tiers for tier in (p.candidate.risk, plan.riskTier) if tier)
        must_sign, authors, people, is_told = among(policy.approvalsSigned), [], set(), False
        made = [*p["made"], *(attempt(self.listed, p, odd="record_mismatch") or [])]
        if policy.allowSelfApproval is False:
            authors = [p.candidate.openedBy, *(i for m in made for i in (m.author.id, m.author.get("for")))]
        for a in p["approvals"]:
            r = attempt(self.approval, a, p, source, policy, must_sign)
            if r and check(r.approver not in authors, "self_approval", r.approver) and check(
                    r.passkey or not must_sign, "approval_signature_invalid", f"{a.id}: no passkey"):
                people.add(r.approver)
            else: is_told = True
        owes = plan.approvalRequired is True or among(policy.approvalRiskTiers)
        owed = max(p["approvalsRequired"], policy.approvalsRequired or 0 if owes else 0)
        is_enough = len(p.approvals) >= owed and (is_told or len(people) >= owed)
        check(is_enough, "approval_missing", f"{len(people)} of {owed}")
    def listed(self, p):
        """The ChangeSets of a promotion whose statement had no room for them."""
        name = f"made {p.candidate.id or ''}"
        if "madeOf" not in p or "records" in self.pack.without: return []
        data = self.kept("record", name, self.pack.records.get(name), p.madeOf["sha256"])
        made = [] if data is None else read_json(data)
        is_list = data is None or len(made) == p.madeOf["count"] and all(m["author"]["id"] for m in made)
        need(is_list, "record_mismatch", name)
        return made
    def approval(self, a, p, source, policy, must_sign):
        """The record of an approval that counts."""
        carried, candidate, lane = a.carriedFrom, p.candidate, policy.lane
        is_same = carried.diff.sha256 == candidate.diff.sha256
        is_on = not policy or (lane.mode, lane.carryApprovals) == ("on", "same-blobs")
        check(not carried or (is_same and is_on and not must_sign), "approval_not_carried", a.id)
        r = self.record("approval", a["id"], a["record"]["sha256"])
        if not r: return None
        is_own = carried or r.candidateId == candidate.id
        need(is_own and a.tree == r.tree == (carried.tree or source.gitTree), "approval_other_tree", a.id)
        need(r.decision == "granted" and r.approver == a.approver, "approval_missing", a.id)
        if not r.passkey: return r
        owner = self.history.approvers.get(r.passkey.credential, NOTHING)
        need(owner.user == r.approver and r.decidedAt <= owner.until, "approver_unknown", r.passkey.credential)
        text = {name: r.get(name) for name in ("tree", "source", "plan", "decision", "approver")}
        text |= {"project": self.project, "change": r.changeId, "candidate": r.candidateId}
        text["domain"] = "pawl-approval-v1"
        is_bound = carried or (r.plan, r.source) == (p.plan.sha256, files_of(source))
        is_signed = is_bound and passkey_signed(r.passkey, owner, self.pack.sites, text)
        need(is_signed, "approval_signature_invalid", a.id)
        return r
    def on_release(self, p, subject, name):
        bundle, n, of = bundle_of(subject), p["generation"], self.generations.get(p["generation"], NOTHING)
        need(bundle, "statement_unreadable", "it names no bundle")
        self.releases[name] = Fields(p, bundle=bundle)
        self.bundles.add(bundle)
        if p.channel == "production": self.under_way[name] = self.releases[name]
        if n is None: return
        need(of, "release_not_promoted", f"S{n} was not stated")
        if p.derivedFrom: self.derived(p.derivedFrom, bundle, of)
        elif check(not of.bundle or bundle in {of.bundle, *of.released}, "release_not_promoted", bundle):
            built = self.bundle(bundle)
            check(not built or (built.commit, built.tree) == of_commit(of.source), "release_not_promoted", bundle)
        of.released.add(bundle)
    def derived(self, said, bundle, of):
        """A bundle that was built for another generation: the same, by its commit alone another one."""
        first = self.generations.get(said["generation"], NOTHING)
        is_there = said["sha256"] in {first.bundle or "", *first.released} or (first.old and not first.bundle)
        need(is_there and first.source.gitTree == of.source.gitTree, "bundle_not_derived", "no such bundle")
        made, original = self.bundle(bundle), self.bundle(said.sha256)
        is_same = made.commit == of.source.gitCommit and unaddressed(made) == unaddressed(original)
        check(is_same or not made or not original, "bundle_not_derived", "it is another one")
    def on_outcome(self, p, *_):
        name, outcome, back = p.release.get("sha256"), p["outcome"], p.restored
        need(name is None or name in self.releases, "release_not_promoted", name)
        if p.channel != "production" or outcome == "superseded": return
        self.settled = True
        if outcome in ("deployed", "removed"):
            self.serving = self.releases.get(name, NOTHING) if outcome == "deployed" else NOTHING
            return self.under_way.clear()
        self.under_way.pop(name, None)
        before = [r for r in self.releases.values() if (r.channel, r.bundle) == (p.channel, back.sha256)]
        older = back and Fields(back, bundle=back.sha256, incarnation=-1, entry=-1)  # than statements
        if "restored" in p: self.serving = before[-1] if before else older

    # The log beside the chain, the repository, and what is live.
    def note(self, text, line, origin, other):
        """A checkpoint of a log: what it covers must still be what stands there. Answers how much was signed."""
        note = NOTE.fullmatch(text)
        need(text, "checkpoint_unreadable", "there is none, though one was published")
        need(note and len(b64(note[4])) == 32, "checkpoint_unreadable", "it is no signed note")
        named, size, top = note[2], int(note[3]), note[4]
        epoch = re.fullmatch(re.escape(origin) + "(?:/([2-9]|[1-9][0-9]{1,8}))?", named)
        marks = [(mark.split(" ")[1], b64(mark.split(" ")[2])) for mark in note[5].splitlines()]
        hint = lambda spki: digest(f"{named}\n\1".encode() + b64(spki)[-32:])[:4]
        is_by = lambda spki: any(name == named and holds(spki, mark[4:], note[1].encode(), (ED25519,))
                                 and mark[:4] == hint(spki) for name, mark in marks)
        keys = self.history.log_keys(self.pack.trust.log.spki, line.project, size)
        is_longer, is_kept = size > len(line.leaves), other == "history_rewritten"
        if not (epoch and any(map(is_by, keys))):  # an older copy may not have the key that made what was kept
            raise Fault("statements_missing" if epoch and is_kept and is_longer else "checkpoint_signature", named)
        epoch, same = int(epoch[1] or 1), line.covers(size, top)
        need(epoch <= line.epoch, "history_lost", f"of epoch {epoch}, the chain is in {line.epoch}")
        if epoch < line.epoch and is_kept:
            # What a restored backup says itself that it has lost may be accepted; nothing beyond.
            lost = [r.lost for r in line.restored if r.lost and r.old.origin == named]
            is_told = any(each["from"] < size <= each["to"] for each in lost)
            check(same or is_told and self.accept, "history_lost", "a backup was restored")
        elif check(not is_longer, "statements_missing", f"{size} were published"): check(same, other, f"of {size}")
        return size if same or epoch == line.epoch and is_longer else 0
    def log(self):
        pack, of_keys = self.pack, self.pack.origin.rpartition("/")[0] + "/instance"
        is_of_keys = re.match(re.escape(of_keys) + "(/[0-9]+)?\n", pack.seen or "")
        logs = [("checkpoint", self.line, pack.origin, pack.checkpoint, None if is_of_keys else pack.seen)]
        if self.history.is_whole:
            seen = pack.seen if is_of_keys else None
            logs.append(("key checkpoint", self.history.line, of_keys, pack.keys_checkpoint, seen))
        for name, line, origin, newest, seen in logs:
            covered, old = [0], (f"seen {name}", seen, "history_rewritten")
            for here[0], text, other in ((name, newest, "checkpoint_mismatch"), old):
                if text is None: continue
                covered.append(attempt(self.note, text, line, origin, other, odd="checkpoint_unreadable") or 0)
            covered += [line.head(each.removeprefix(origin), head, name) for each, head in pack.heads.items()]
            line.settle(max(covered), pack.waiting)
    def repository(self):
        if not (self.pack.folder / "repo.git").exists(): return
        repository, is_whole = Repository(self.pack.folder / "repo.git"), True
        loose = repository.loose()
        if loose: return say("pack_unreadable", f"damaged objects: {' '.join(loose)}", "repo.git")
        for g in self.generations.values():
            repository.need(g.source.gitCommit)
            here[0], tree, files = g.where, repository.trees.get(g.source.gitCommit), files_of(g.source)
            is_whole = check(tree, "commit_missing", g.source.gitCommit) and is_whole
            if tree and check(tree == g.source.gitTree, "commit_tree_mismatch"):
                check(not files or files == repository.files(tree), "source_mismatch")
        newest = self.generations.get(self.newest)
        main = (repository.git("rev-parse", "-q", "--verify", "refs/heads/main") or b"").decode().strip()
        if newest and main != newest.source.gitCommit: say("main_mismatch", main, "main")
        is_good = not is_whole or all(repository.git("verify-pack", str(each)) is not None for each in repository.packs)
        need(is_good, "pack_unreadable", "a pack is damaged", "repo.git")
    def now(self):
        for live in self.pack.lives: attempt(self.served, live, odd="pack_unreadable")
    def was_served(self, live):
        """What an older Project served before it had statements, until a release of it ended."""
        of, n = self.generations.get(live.get("generation"), NOTHING), live.get("generation")
        if not of or not self.adopted or self.settled or n > self.adopted.generation: return False
        if of.bundle == live.bundle: return True
        built = self.bundle(live.bundle)
        return (built.commit, built.tree) == of_commit(of.source)
    def served(self, live):
        here[0] = "live"
        if not live.bundle: return check(not self.serving, "live_mismatch", "nothing is served")
        may = [r for r in [self.serving, *self.under_way.values()] if r.bundle == live.bundle]
        code = "live_mismatch" if live.bundle in self.bundles else "live_unstated"
        need(may or self.was_served(live), code, live.bundle)
        placed, place = [(r.channel, r.incarnation) for r in may if r.entry >= 0], (live.channel, live.incarnation)
        is_newest = live.entry is NOTHING or any(r.entry <= live.entry for r in may)
        is_there = check(not may or not placed or place in placed, "release_other_place")
        if may and is_there and check(is_newest, "release_superseded"):
            check(any(r.generation == live.generation for r in may), "live_mismatch", f"S{live.generation}")
        b = self.bundle(live.bundle)
        for path, wanted in live.assets.items() if b else []:
            check(b.assets.manifest.get(path, NOTHING).sha256 == wanted, "live_asset_mismatch", path)

def main(arguments):
    keys, rest, given = [], [], iter(arguments)
    for each in given: keys.append(next(given, "")) if each == "--key" else rest.append(each)
    flags = {each for each in rest if each.startswith("--")}
    folders = [each for each in rest if each not in flags]
    is_odd = flags - {"--json", "--accept-restore"} or not all(map(KEYID.fullmatch, keys))
    if len(folders) != 1 or is_odd: return print(__doc__) or 2
    project, part = None, None
    try:
        project = Project(Folder(Path(folders[0]), keys), "--accept-restore" in flags)
        for part, work in (("statements", project.chain), ("checkpoint", project.log),
                           ("repo.git", project.repository), ("live.json", project.now)): work()
    except Fault as fault: say(*fault.args)
    except (OSError, *ODD) as error: say("pack_unreadable", repr(error), part)
    statements, generations = (len(project.line.leaves), len(project.generations)) if project else (0, 0)
    if "--json" in flags:
        print(json.dumps({"statements": statements, "generations": generations, "findings": found, "notes": notes}))
    else:
        for word, told in (("FAIL", found), ("note", notes)):
            for f in told: print(ascii(f"{word} {f['where']:<16} {f['code']:<26} {f['words']}")[1:-1])
        if not keys: print("the pack itself named whom to believe: compare its first key, and give it as --key")
        print(f"{statements} statements, {generations} generations: {len(found)} finding(s)")
    return 2 if any(f["code"] == "pack_unreadable" for f in found) else 1 if found else 0

if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
