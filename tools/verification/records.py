"""Records and objects, each kept under the digest that statements name."""
from .fields import NOTHING, read_json, sha, shaped
from .findings import ODD, attempt, check, notes, say
from .folder import bytes_of


def unaddressed(b):
    """All of a bundle but what names its commit."""
    return {k: b[k] for k in b if k not in ("commit", "builtAt", "sbom")}, bool(b.sbom)


class Records:
    def __init__(self, pack): self.pack, self.looked = pack, set()

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
        data = bytes_of(self.pack.objects[wanted], "objects") if wanted in self.pack.objects else None
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
