"""A repository as its files lie there. git is not asked: it would wait for a pipe, and look wherever it is told to."""
import hashlib, re, zlib
from .fields import sum_of

READ = "HEAD config config.worktree packed-refs shallow commondir info refs reftable objects".split()
ELSEWHERE = "commondir config.worktree objects/info/alternates".split()
LOOSE, INCLUDE = re.compile(r"[0-9a-f]{2}/[0-9a-f]{38}"), re.compile(rb"\[\s*include", re.I)


def odd_files(path):
    """What git would wait for in the place of a file. A link may lead to it too, and a pack has none."""
    if path.is_symlink() or path.exists() and not (path.is_file() or path.is_dir()): return [path]
    return [odd for each in path.iterdir() for odd in odd_files(each)] if path.is_dir() else []

def inflated(path):
    """What a compressed file holds, in pieces, and no more of it than any program reads."""
    stream, size = zlib.decompressobj(), 0
    with path.open("rb") as file:
        while not stream.eof and size <= 1 << 27 and (rest := stream.unconsumed_tail or file.read(1 << 20)):
            piece = stream.decompress(rest, 1 << 20)
            size += len(piece)
            yield piece
    if size > 1 << 27 or not stream.eof: raise zlib.error("it is too long, or cut")

def is_damaged(path):
    try: return not path.is_file() or sum_of(inflated(path), hashlib.sha1()) != path.parent.name + path.name
    except (OSError, zlib.error): return True

def problem_of(folder):
    """Why git is not to be asked, or what it would not tell; None for nothing."""
    config = folder / "config"
    if odd := [path.name for name in READ for path in odd_files(folder / name)]: return f"no files: {' '.join(odd)}"
    named = [name for name in ELSEWHERE if (folder / name).exists()]
    named += ["config"] * bool(config.exists() and INCLUDE.search(config.read_bytes()))
    if named: return f"it names other places: {' '.join(named)}"
    paths = [path for path in folder.glob("objects/??/*") if LOOSE.fullmatch("/".join(path.parts[-2:]))]
    damaged = sorted(path.parent.name + path.name for path in paths if is_damaged(path))
    return f"damaged objects: {' '.join(damaged)}" if damaged else None
