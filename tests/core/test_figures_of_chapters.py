"""The figures of the chapters: pictures with words for who cannot see them."""

from __future__ import annotations

import base64
import io

from PIL import Image

from hello_agents import figures


def test_a_figure_is_a_picture_with_words() -> None:
    picture = figures.the_loop()
    data, more = picture._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]) == picture.png
    assert more["image/png"]["alt"] == picture.alt
    assert data["text/plain"] == repr(picture) == f"Figure: {picture.alt}"
    image = Image.open(io.BytesIO(picture.png))
    assert image.size == (1280, 400)
    colours = {colour for _, colour in image.convert("RGBA").getcolors(2**20) or []}
    for name in (figures.USER, figures.MODEL, figures.TOOL, figures.DONE):
        red, green, blue = (int(name[at : at + 2], 16) for at in (1, 3, 5))
        assert (red, green, blue, 255) in colours
    # What is not drawn is clear, so that it is legible on a dark page as well.
    assert (255, 255, 255, 0) in colours


def test_the_same_figure_is_the_same_bytes() -> None:
    assert figures.the_loop().png == figures.the_loop().png
