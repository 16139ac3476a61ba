"""The pictures that Gymnasium's environments draw of themselves, for the page."""

import io
import os
from base64 import b64encode
from importlib.util import find_spec
from typing import cast

from bamdp.domain import Domain

LARGEST = 480  # pixels along each side


def with_pictures(domain: Domain) -> Domain:
    """The domain, with environments that draw themselves if it is Gymnasium's and they can."""
    rendered = getattr(domain, "rendered", None)
    if rendered is None or find_spec("PIL") is None:
        return domain
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # no window: it is drawn in a thread, for the page alone
    return cast(Domain, rendered())


def picture_of(domain: Domain) -> str | None:
    """The environment's picture of the present moment as a data URI; None if it has none."""
    pixels = domain.picture() if hasattr(domain, "picture") else None
    if pixels is None:
        return None
    from PIL import Image

    image, buffer = Image.fromarray(pixels), io.BytesIO()
    image.thumbnail((LARGEST, LARGEST))
    image.save(buffer, "webp", quality=80)
    return f"data:image/webp;base64,{b64encode(buffer.getvalue()).decode()}"
