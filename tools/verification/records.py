"""Records and objects, each kept under the digest that statements name."""
from .fields import NOTHING, pieces, read_json, sha, shaped, sum_of
from .findings import ODD, attempt, check, notes, say
from .folder import bytes_of, read_file


def unaddressed(b):
    """All of a bundle but what names its commit."""
    return {k: b[k] for k in b if k not in ("commit", "builtAt", "sbom")}, bool(b.sbom)


def object_json(path):
    """What an object says. One that is too long for that says nothing."""
    return read_json(attempt(bytes_of, path, "objects", 1 << 27) or b"")


class Records:
    def __init__(self, pack): self.pack, self.looked, self.sums = pack, set(), {}

    def kept(self, kind, name, data, wanted):
        if check(data is not None, f"{kind}_missing", name):
            if check(sha(data) == wanted, f"{kind}_mismatch", name): return data

    def record(self, kind, id, wanted):
        if "records" in self.pack.without: return NOTHING
        data = self.kept("record", f"{kind} {id}", self.pack.records.get(f"{kind} {id}"), wanted)
        read = lambda: shaped(read_json(data), kind)
        return NOTHING if data is None else attempt(read, odd="record_mismatch") or NOTHING

    def sum(self, path):
        """The digest of an object, which may be large; none of one that cannot be read, which is said once."""
        summed = lambda file: sum_of(pieces(file.read))
        if path not in self.sums: self.sums[path] = attempt(read_file, path, "objects", summed)
        return self.sums[path]

    def thing(self, kind, wanted, at=None):
        """The path of an object, where it is the one. What is wrong with it is said once."""
        path, is_new = self.pack.objects.get(wanted), (kind, wanted, at) not in self.looked
        self.looked.add((kind, wanted, at))
        if path is None and "objects" in self.pack.without: return None
        if path is None and at and at < (self.pack.trust.outputsSince or ""): return say("output_expired", at, to=notes)
        called, found = "record" if kind == "sbom" else kind, path and self.sum(path)
        if path is None and is_new: say(f"{called}_missing", wanted)
        if found and found != wanted and is_new: say(f"{called}_mismatch", wanted)
        return path if found == wanted else None

    def bundle(self, wanted):
        """A bundle.json that is there whole; the first time with all that it names."""
        is_new, path = ("bundle", wanted, None) not in self.looked, self.thing("bundle", wanted)
        if path is None: return NOTHING
        try:
            b = shaped(object_json(path), "bundle")
            parts = [("asset", file["sha256"]) for file in b.assets["manifest"].values()]
            parts += [("asset", m["sha256"]) for m in [*b.modules.values(), *b.maps.values()] if m.object]
            parts += [("sbom", each["sha256"]) for each in [b.sbom] if each]
        except ODD: return is_new and say("bundle_mismatch", wanted) or NOTHING
        for part in parts if is_new else []: self.thing(*part)
        return b
