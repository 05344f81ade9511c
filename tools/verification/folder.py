"""A pack as it lies there, and whom to believe."""
import re
from datetime import datetime
from .envelope import FOREVER, INSTANT, Envelope
from .fields import NOTHING, Fields, read_json, shaped
from .findings import ODD, Fault, here, need, say

NOTHING_WAITS = Fields({"from": FOREVER, "to": ""})


def seconds(began, ended):
    """From the end of a check to the beginning of another; less than nothing where no instants are given."""
    try:
        began, ended = (datetime.fromisoformat(at.replace("Z", "+00:00")) for at in (began, ended))
        return (began - ended).total_seconds()
    except ODD: return -1


def read_file(path, where, work, limit=None):
    """A pipe would never end, and a device neither: only a file is read."""
    need(path.is_file(), "pack_unreadable", "it is no file", where)
    try:
        need(limit is None or path.stat().st_size <= limit, "pack_unreadable", "it is too long", where)
        with path.open("rb") as file: return work(file)
    except OSError as error: raise Fault("pack_unreadable", error.strerror, where) from error

def bytes_of(path, where, limit=None): return read_file(path, where, lambda file: file.read(), limit)


class Folder:
    """A pack. What cannot be read at all is told by its name."""
    def __init__(self, folder, keys):
        self.folder, self.objects = folder, {path.name: path for path in folder.glob("objects/*")}
        is_pack = (folder / "trust.json").exists()
        how = "it is no pack: make one with pawl verify <what> --pack <folder>"
        need(is_pack, "pack_unreadable", how, "trust.json")
        self.trust = trust = shaped(self.read("trust.json", read_json, {}), "trust.json")
        self.keys = keys or trust["keys"]
        need(self.keys, "pack_unreadable", "no key is trusted: give --key SHA256:...", "trust.json")
        self.origin, self.sites, self.without = trust.log.origin, trust["origins"], trust.without
        self.project = re.fullmatch(r".+/log/([^/]+)", self.origin)[1]
        self.waiting = waiting = trust.waiting or NOTHING_WAITS
        is_moment = all(map(INSTANT.fullmatch, (waiting["from"], waiting["to"])))
        # More than one moment excuses nothing.
        if not (is_moment and 0 <= seconds(waiting["to"], waiting["from"]) <= 120): self.waiting = NOTHING_WAITS
        for each in trust.unread or []: say("pack_unreadable", each["reason"] + "", each["part"] + "")
        self.heads = shaped(self.read("heads.json", read_json, {}), "heads.json")
        if not all(type(each["size"]) is int and each["size"] >= 0 for each in self.heads.values()):
            raise ValueError("the signer has signed whole entries")
        live = self.read("live.json", read_json, [])
        self.lives = [shaped(each, "live.json") for each in (live if isinstance(live, list) else [live])]
        if not all(isinstance(each.get("envelope"), (str, type(None))) for each in self.lives):
            raise ValueError("an envelope is a text")
        notes = ("checkpoint", "keys.checkpoint", "seen")
        self.checkpoint, self.keys_checkpoint, self.seen = (self.read(name, bytes.decode) for name in notes)
        need(self.checkpoint is not None, "pack_unreadable", "it is not there", "checkpoint")
        pairs = [read_json(line) for line in self.lines("records.ndjson")]
        self.records = {name: text.encode() for name, text in pairs}
        if len(self.records) < len(pairs): raise ValueError("a record is there twice")

    def read(self, name, parse, otherwise=None):
        here[0], path = name, self.folder / name
        return parse(bytes_of(path, name.removesuffix(".intoto.jsonl"))) if path.exists() else otherwise

    def lines(self, name):
        data = self.read(name, bytes, b"" if name == "records.ndjson" else None)
        need(data is not None, "pack_unreadable", "it is not there", name.split(".")[0])
        *lines, rest = data.split(b"\n")
        return lines + [b"\xff"] * bool(rest)  # what has no newline at its end was cut

    def entries(self, name, label):
        """The envelopes of a chain, in order; of each is said what is wrong with it. One that `waits` nobody signed."""
        for n, line in enumerate(self.lines(name)):
            e = Envelope(line)
            is_about = label == "entry" and e.facts.generation is not NOTHING
            here[0] = f"{label} {n}" + (f" (S{e.facts.generation})" if is_about else "")
            is_alone = label == "entry" or len(e.faults) == 1
            e.waits = is_alone and any(code == "signature_missing" for code, _ in e.faults)
            for code, words in e.faults:
                if not (e.waits and code == "signature_missing"): say(code, words)
            yield n, e
