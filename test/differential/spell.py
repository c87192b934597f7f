"""Writes JSON as nobody should: one value, many spellings.

A spelling either means the same to every reader, or is one of those that
readers disagree on.  Knows no field.
"""
import json


class Spelling:
    """rng: the case's own; odd: how often something is spelled oddly."""

    def __init__(self, rng, odd):
        self.rng, self.odd = rng, odd
        self.used = set()       # names of the tricks that were played

    def _trick(self, name, weight=1.0):
        if self.rng.random() >= self.odd * weight:
            return False
        self.used.add(name)
        return True

    def _blank(self):
        if self._trick("blanks", 0.3):
            return self.rng.choice([" ", "\n", "\t", " \r\n "])
        return ""

    def _text(self, text):
        if self._trick("raw-unicode", 0.2):
            return json.dumps(text, ensure_ascii=False)
        out = []
        for c in text:
            if self._trick("escape", 0.1):
                out.append("".join("\\u%04x" % u for u in units(c)))
            elif c == "/" and self._trick("solidus", 0.3):
                out.append("\\/")
            else:
                out.append(json.dumps(c)[1:-1])
        return '"' + "".join(out) + '"'

    def _number(self, n):
        if isinstance(n, float) or not self._trick("number", 0.3):
            return json.dumps(n)
        return self.rng.choice(["%d.0", "%de0", "%dE+0", "%d.5", "-%d",
                                "0%d", "%d0e-1", "\"%d\""]) % n

    def _key(self, key):
        if not key.isascii() or not self._trick("case", 0.15):
            return self._text(key)
        folded = self.rng.choice([
            key.lower(), key.upper(), key.swapcase(),
            key.replace("s", "\u017f"), key.replace("k", "\u212a"),
            key.replace("S", "\u017f"), key.replace("K", "\u212a"),
            key[:1].lower() + key[1:], key + " ", key + "\u0000",
            "\ufeff" + key])
        return json.dumps(folded, ensure_ascii=self.rng.random() < 0.5)

    def _object(self, value):
        pairs = list(value.items())
        if self._trick("order", 0.5):
            self.rng.shuffle(pairs)
        if pairs and self._trick("duplicate", 0.15):
            key, member = self.rng.choice(pairs)
            other = self.rng.choice([None, member, {}, [], "", True, 0])
            pairs.insert(self.rng.randrange(len(pairs) + 1), (key, other))
        if self._trick("null-key", 0.1):
            pairs.append((self.rng.choice(["Nothing", "", "x"]), None))
        return "{%s}" % ",".join(
            "%s%s:%s%s" % (self._blank(), self._key(k), self._blank(),
                           self.value(v)) for k, v in pairs)

    def value(self, value):
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return "[%s]" % ",".join(self._blank() + self.value(v)
                                     for v in value)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bool) or value is None:
            return json.dumps(value)
        return self._number(value)

    def body(self, value):
        text = self.value(value)
        if self._trick("wrapped", 0.05):
            text = self.rng.choice(["%s%s", "%s {}", "[%s]", "\ufeff%s",
                                    "%s\u0000", "%s,", "%s//", "'%s'"]
                                   ).replace("%s%s", "%s" + text) % text
        return text.encode("utf-8", "surrogatepass")


def units(c):
    """UTF-16 code units of a character."""
    data = c.encode("utf-16-be", "surrogatepass")
    return [data[i] << 8 | data[i + 1] for i in range(0, len(data), 2)]
