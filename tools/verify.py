#!/usr/bin/env python3
"""Verifies a pack of Pawl offline: keys, statements, log, records, objects, repository, and what is live.

    verify.py <pack> [--key SHA256:... as often as there are keys] [--json] [--accept-restore]
    exit 0: nothing found, 1: findings, 2: it cannot be read, or no key is trusted

It shares no code with Pawl: Python 3 with `cryptography` (Debian: python3-cryptography) and git, and the folder
`verification` beside it. What a pack holds is told in docs/reference/statements.md, what each code means in
docs/reference/verify.md.

Whom to believe is for you to say: `--key` is the id of the first key, as its operator tells it elsewhere. Without it
the keys in the pack's own trust.json are believed, and a whole other history under other keys passes. Of trust.json
these are believed in any case: of which Project it is, the name of its log, on which sites passkeys sign, what its
maker could not read (`without`), and what may be gone (`outputsSince`) or unsigned (`waiting`, two minutes at most).
"""
import sys

sys.dont_write_bytecode = True  # it leaves nothing behind beside itself

import json, re
from pathlib import Path
from verification.findings import ODD, Fault, found, notes, say
from verification.folder import Folder
from verification.live import check_live
from verification.log import check_log
from verification.project import Project
from verification.repository import check_repository

KEYID = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")


def verify(folder, keys, accept):
    """Looks at one part after another. Answers how many statements and generations there are."""
    project, part = None, None
    try:
        project = Project(Folder(folder, keys))
        part = "statements"
        project.chain()
        part = "checkpoint"
        check_log(project, accept)
        part = "repo.git"
        check_repository(project)
        part = "live.json"
        check_live(project)
    except Fault as fault: say(*fault.args)
    except (OSError, *ODD) as error: say("pack_unreadable", repr(error), part)
    return (len(project.line.leaves), len(project.generations)) if project else (0, 0)

def main(arguments):
    keys, rest, given = [], [], iter(arguments)
    for each in given: keys.append(next(given, "")) if each == "--key" else rest.append(each)
    flags = {each for each in rest if each.startswith("--")}
    folders = [each for each in rest if each not in flags]
    is_odd = flags - {"--json", "--accept-restore"} or not all(map(KEYID.fullmatch, keys))
    if len(folders) != 1 or is_odd: return print(__doc__) or 2
    statements, generations = verify(Path(folders[0]), keys, "--accept-restore" in flags)
    if "--json" in flags:
        print(json.dumps({"statements": statements, "generations": generations, "findings": found, "notes": notes}))
    else:
        for word, told in (("FAIL", found), ("note", notes)):
            for f in told: print(ascii(f"{word} {f['where']:<16} {f['code']:<26} {f['words']}")[1:-1])
        if statements and not keys:
            print("the pack itself named whom to believe: compare its first key, and give it as --key")
        print(f"{statements} statements, {generations} generations: {len(found)} finding(s)")
    return 2 if any(f["code"] == "pack_unreadable" for f in found) else 1 if found else 0


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
