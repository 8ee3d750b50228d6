"""Dockerfiles as BuildKit reads them (docs.docker.com/reference/dockerfile): instructions, quotes, escapes, patterns.

Text with a special meaning (a variable, a wildcard, a continued line) is a failure here.
"""
import json


def instructions(text):
    """(keyword, rest of the line) of each instruction."""
    found = []
    for line in text.split("\n"):
        line = line.strip(" \t")
        if not line or line.startswith("#"):
            continue
        assert not line.endswith("\\"), "continued line: " + line
        keyword, rest = line.split(None, 1)
        found.append((keyword, rest))
    return found


def words(rest):
    """Words between blanks outside quotes, with all their quotes and escapes."""
    found, word, quote, at = [], "", None, 0
    while at < len(rest):
        c = rest[at]
        if c == "\\" and quote != "'" and at + 1 < len(rest):
            word += rest[at:at + 2]
            at += 2
            continue
        if c in "\"'" and quote in (None, c):
            quote = None if quote else c
        if c in " \t" and not quote:
            if word:
                found.append(word)
            word = ""
        else:
            word += c
        at += 1
    assert not quote, "open quote: " + rest
    return found + [word] if word else found


def expand(word):
    """The word without its quotes and escapes, as a shell would have it."""
    out, quote, at = "", None, 0
    while at < len(word):
        c = word[at]
        at += 1
        if quote == "'":
            if c == "'":
                quote = None
            else:
                out += c
        elif c == "\\" and (not quote or word[at:at + 1] in ('"', "$", "\\")):
            assert at < len(word), "escape of nothing: " + word
            out += word[at]
            at += 1
        elif c == "$":
            raise AssertionError("variable: " + word)
        elif c == '"' or (c == "'" and not quote):
            quote = None if quote else c
        else:
            out += c
    assert not quote, "open quote: " + word
    return out


def without_wildcards(pattern):
    """The only path that a pattern of Go's filepath.Match matches."""
    out, at = "", 0
    while at < len(pattern):
        c = pattern[at]
        assert c not in "*?", "wildcard: " + pattern
        if c == "\\":
            out += pattern[at + 1]
            at += 2
        elif c == "[":
            assert pattern[at + 2] == "]" and pattern[at + 1] not in "^\\]", "class of characters: " + pattern
            out += pattern[at + 1]
            at += 3
        else:
            out += c
            at += 1
    return out


def labels(rest):
    """Keys and values of a LABEL instruction."""
    found = {}
    for word in words(rest):
        quote, at = None, 0
        while at < len(word) and (quote or word[at] != "="):  # the first "=" outside of quotes
            if word[at] == "\\" and quote:
                at += 1
            elif word[at] == '"':
                quote = None if quote else '"'
            at += 1
        assert at < len(word), "no value: " + word
        found[expand(word[:at])] = expand(word[at + 1:])
    return found


def added(rest):
    """Source and destination of an ADD or COPY instruction without flags."""
    if rest.startswith("["):
        source, destination = (expand(word) for word in json.loads(rest))
    else:
        assert not rest.startswith("--"), rest
        source, destination = (expand(word) for word in words(rest))
    return without_wildcards(source), destination
