"""The log beside a chain: what its checkpoints cover must still be what stands there."""
import re
from .fields import b64, digest
from .findings import Fault, attempt, check, here, need
from .signatures import ED25519, holds

NOTE = re.compile(r"((.+)\n(0|[1-9][0-9]{0,14})\n(.+)\n(?:.+\n)*)\n((?:— [^ \n]+ [^ \n]+\n)+)")  # C2SP


def is_signed(note, keys):
    """Whether one of these keys of the log has signed a note, under the name that it has."""
    named, marks = note[2], [mark.split(" ") for mark in note[5].split("\n")[:-1]]
    marks = [(name, b64(mark)) for _, name, mark in marks]
    hint = lambda spki: digest(f"{named}\n\1".encode() + b64(spki)[-32:])[:4]
    return any(name == named and holds(spki, mark[4:], note[1].encode(), (ED25519,)) and mark[:4] == hint(spki)
               for spki in keys for name, mark in marks)

def check_note(project, text, line, origin, other, accept):
    """Looks at a checkpoint. Answers how much was signed."""
    note = NOTE.fullmatch(text)
    need(text, "checkpoint_unreadable", "there is none, though one was published")
    need(note and len(b64(note[4])) == 32, "checkpoint_unreadable", "it is no signed note")
    named, size, top = note[2], int(note[3]), note[4]
    epoch = re.fullmatch(re.escape(origin) + "(?:/([2-9]|[1-9][0-9]{1,8}))?", named)
    keys = project.history.log_keys(project.pack.trust.log.spki, line.project, size)
    is_longer, is_kept = size > len(line.leaves), other == "history_rewritten"
    if not (is_signed(note, keys) and epoch):  # an older copy may not have the key that made what was kept
        raise Fault("statements_missing" if epoch and is_kept and is_longer else "checkpoint_signature", named)
    epoch, same = int(epoch[1] or 1), line.covers(size, top)
    need(epoch <= line.epoch, "history_lost", f"of epoch {epoch}, the chain is in {line.epoch}")
    if epoch < line.epoch and is_kept:
        # What a restored backup says itself that it has lost may be accepted; nothing beyond.
        lost = [r.lost for r in line.restored if r.lost and r.old.origin == named]
        is_told = any(each["from"] < size <= each["to"] for each in lost)
        check(same or is_told and accept, "history_lost", "a backup was restored")
    elif check(not is_longer, "statements_missing", f"{size} were published"): check(same, other, f"of {size}")
    return size if same or epoch == line.epoch and is_longer else 0

def check_log(project, accept):
    """Both logs, the Project's and that of keys: the newest checkpoint, one that was kept, the signer's memory."""
    pack, history = project.pack, project.history
    of_keys = pack.origin.rpartition("/")[0] + "/instance"
    is_of_keys = re.match(re.escape(of_keys) + "(/[0-9]+)?\n", pack.seen or "")
    logs = [("checkpoint", project.line, pack.origin, pack.checkpoint, None if is_of_keys else pack.seen)]
    if history.is_whole:
        logs.append(("key checkpoint", history.line, of_keys, pack.keys_checkpoint, pack.seen if is_of_keys else None))
    for name, line, origin, newest, seen in logs:
        covered = [0]
        kept = (f"seen {name}", seen, "history_rewritten")
        for where, text, other in ((name, newest, "checkpoint_mismatch"), kept):
            if text is None: continue
            here[0], asked = where, (project, text, line, origin, other, accept)
            covered.append(attempt(check_note, *asked, odd="checkpoint_unreadable") or 0)
        covered += [line.head(each.removeprefix(origin), head, name) for each, head in pack.heads.items()]
        line.settle(max(covered), pack.waiting)
