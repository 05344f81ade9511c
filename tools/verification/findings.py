"""What is found: findings, and notes that are worth knowing, each with its place."""

found, notes = [], []
here = ["pack"]  # what is looked at
ODD = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError)  # of hostile data


class Fault(Exception):
    """What is wrong with something of which no more can be said: a code, words, where."""


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
