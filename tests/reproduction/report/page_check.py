"""A check of pages: well-formed, with unique ids, and loading nothing from elsewhere."""

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "source", "hr", "input"}


class Checker(HTMLParser):
    """Every element is closed, in order; names are unique; nothing is loaded from elsewhere; links
    lead somewhere.
    """

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.loads: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        assert len(values) == len(attributes), f"<{tag}> has an attribute twice"
        if tag not in VOID:
            self.open.append(tag)
        if values.get("id"):
            self.ids.append(str(values["id"]))
        for name in ("src", "srcset", "href", "xlink:href", "data", "poster", "action"):
            target = values.get(name) or ""
            if target.startswith("#"):
                self.links.add(target[1:])
            elif name in values:
                self.loads.append(target)
        self.loads += re.findall(r"url\((?!#)[^)]*\)", values.get("style") or "")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def checked(text: str) -> Checker:
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids), {
        i for i in checker.ids if checker.ids.count(i) > 1
    }
    assert checker.links <= set(checker.ids)
    assert all(load.startswith("data:") for load in checker.loads), [
        load[:60] for load in checker.loads
    ]
    assert "http" not in text
    assert "<script" not in text
    assert "@import" not in text
    return checker
