"""Bytes and JSON as they are read, in one form alone, and the fields of what is read."""
import base64, hashlib, json

FIELDS = {  # what each must have
    "trust.json": "keys log origins", "live.json": "bundle generation channel incarnation assets", "heads.json": "",
    "bundle": "commit tree modules assets", "plan": "riskTier approvalRequired checks",
    "evidence": "subject checkId status result commit tree outputDigest",
    "approval": "candidateId changeId tree decision approver decidedAt", "policyVersion":
    "version approvalRiskTiers requiredChecks allowSelfApproval approvalsRequired waivedChecks"}

OPTIONAL = {  # these may have so many more and no others: one by another name would be passed over
    "trust.json": "outputsSince waiting without unread", "live.json": "entry envelope"}


class Fields(dict):
    """An object of JSON. A field that is not there, or null, is an empty one: the same can be asked of it."""
    def __getattr__(self, name): return NOTHING if self.get(name) is None else self[name]


NOTHING = Fields()

def digest(data): return hashlib.sha256(data).digest()
def sha(data): return digest(data).hex()

def pieces(read, left=1 << 60):
    """What is read of something large: so many bytes at most, some at a time."""
    while piece := read(min(left, 1 << 20)):
        left -= len(piece)
        yield piece

def sum_of(data, sum=None):
    """The SHA-256 of what comes in pieces, or another sum of it, in hex."""
    sum = sum or hashlib.sha256()
    for each in data: sum.update(each)
    return sum.hexdigest()

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
    def number(text):  # 2.0 is 2
        value = float(text)
        return int(value) if value.is_integer() else value
    return json.loads(data.decode(), object_pairs_hook=once, parse_float=number, parse_constant=int)  # no int is NaN

def shaped(value, kind):
    """An object of JSON with all the fields of its kind."""
    fields, must = Fields({**value}), set(FIELDS[kind].split())
    is_odd = kind in OPTIONAL and not set(fields) <= must | set(OPTIONAL[kind].split())
    if is_odd or not must <= set(fields): raise ValueError(f"it is no {kind}")
    return fields

def files_of(source): return source.dirHash or source.dirHash1
def of_commit(source): return source.gitCommit, source.gitTree
def bundle_of(subject): return next((each.digest["sha256"] for each in subject if each.name == "bundle.json"), None)
