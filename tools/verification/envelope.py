"""A statement in its envelope (DSSE, in-toto)."""
import re
from .fields import NOTHING, b64, read_json, sha
from .findings import ODD
from .signatures import holds

KINDS = {f"urn:pawl:attestation:{kind}:v1": kind for kind in (
    "promotion", "policy", "release", "outcome", "adopted", "restored", "key", "approver")}
TYPE, STATEMENT = "application/vnd.in-toto+json", "https://in-toto.io/Statement/v1"
INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
FOREVER = "9999"  # no instant is later


class Envelope:
    """Read as far as it can be: one fault is not told as ten. `facts` is the predicate."""
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
        elif INSTANT.fullmatch(facts["at"]) and all(type(facts[name]) is int for name in ("entry", "epoch")):
            self.kind, self.subject, self.facts = kind, [*said["subject"]], facts
        else: raise ValueError("it has no place in a chain")

    def signed_by(self, spki):
        return holds(spki, self.sig, f"DSSEv1 {len(TYPE)} {TYPE} {len(self.body)} ".encode() + self.body)
