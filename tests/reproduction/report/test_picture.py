"""A picture is a part of a page, or files."""

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from reproduction.report import html as page
from reproduction.report.picture import Picture, draw, styled


def test_a_chart_is_a_file_or_a_part_of_a_page(tmp_path: Path) -> None:
    def drawn() -> Iterator[Picture]:
        chart, axes = draw("name", "title", "what it shows")
        axes.plot([1, 2], [3, 4], color="#0f6cbd")
        yield chart

    (chart,) = styled(drawn())
    page.write_pictures([chart], tmp_path / "deep" / "folder")
    svg = (tmp_path / "deep" / "folder" / "name.svg").read_bytes()
    assert svg.startswith(b"<?xml")
    assert b"#0f6cbd" in svg
    assert b64encode(svg).decode() in chart.inline()
    assert 'alt="what it shows"' in chart.inline()
