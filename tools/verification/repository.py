"""The repository: commits, trees and files as they were stated, and whole."""
import hashlib, os
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile
from .fields import files_of, pieces, sha
from .findings import check, here, need, say
from .loose import problem_of

GIT = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0",
       "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
SAFE = ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]


class Repository:
    """A bare repository, read by git, with no setting of it that could run a program or open a connection."""
    def __init__(self, folder):
        self.folder, self.trees, self.blobs, self.damaged = folder, {}, {}, set()
        with self.begun("cat-file", "--batch-all-objects", "--batch-check=%(objectname)") as names:
            ids = names.stdout.read().decode().split()
        while ids := ids[self.take(ids):]: self.damaged.add(ids.pop(0))  # git ends at one that it cannot read

    def begun(self, *args, given=DEVNULL):
        return Popen([*SAFE, "--git-dir", str(self.folder), *args], env=GIT, stdin=given, stdout=PIPE, stderr=DEVNULL)

    def git(self, *args):
        """What git prints; None where it fails."""
        with self.begun(*args) as process: said = process.stdout.read()
        return None if process.returncode else said

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
                    sum, begin, left = hashlib.sha256(), b"", int(head[2])
                    for piece in pieces(objects.stdout.read, left):
                        sum.update(piece)
                        begin, left = begin or piece[:45], left - len(piece)
                    if left or not objects.stdout.read(1): return n
                    if head[1] == b"commit": self.trees[id] = begin[5:].decode()
                    if head[1] == b"blob": self.blobs[id] = sum.hexdigest()
        return len(ids)

    def need(self, id):
        need(id not in self.damaged, "pack_unreadable", f"the object {id} is damaged", "repo.git")

    def files(self, tree):
        """SHA-256 over a line `<sha256>  <path>` for each file of a tree, by the bytes of their paths."""
        entries = [line.split(b"\t", 1) for line in self.git("ls-tree", "-rz", "--full-tree", tree).split(b"\0")[:-1]]
        files = sorted((path, meta.split()[2].decode()) for meta, path in entries if b" commit " not in meta)
        for _, id in files: self.need(id)
        return sha(b"".join(f"{self.blobs[id]}  ".encode() + path + b"\n" for path, id in files))


def check_repository(project):
    """Holds the repository of a pack, where there is one, against the generations of a Project."""
    folder = project.pack.folder / "repo.git"
    if not folder.exists(): return
    if problem := problem_of(folder): return say("pack_unreadable", problem, "repo.git")
    repository, is_whole = Repository(folder), True
    for g in project.generations.values():
        repository.need(g.source.gitCommit)
        here[0], tree, files = g.where, repository.trees.get(g.source.gitCommit), files_of(g.source)
        is_whole = check(tree, "commit_missing", g.source.gitCommit) and is_whole
        if tree and check(tree == g.source.gitTree, "commit_tree_mismatch"):
            check(not files or files == repository.files(tree), "source_mismatch")
    newest = project.generations.get(project.newest)
    main = (repository.git("rev-parse", "-q", "--verify", "refs/heads/main") or b"").decode().strip()
    if newest and main != newest.source.gitCommit: say("main_mismatch", main, "main")
    packs = [] if not is_whole else sorted(folder.glob("objects/pack/*.idx"))
    is_good = all(repository.git("verify-pack", str(each)) is not None for each in packs)
    need(is_good, "pack_unreadable", "a pack is damaged", "repo.git")
