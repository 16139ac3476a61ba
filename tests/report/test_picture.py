"""A picture is a part of a page, or files."""

from collections.abc import Iterator
from pathlib import Path

from bamdp.report import html as page
from bamdp.report.picture import Picture, draw, styled


def test_a_chart_is_a_file_or_a_part_of_a_page(tmp_path: Path) -> None:
    def drawn() -> Iterator[Picture]:
        chart, axes = draw("name", "title", "what it shows")
        axes.plot([1, 2], [3, 4], color="#0f6cbd")
        yield chart

    (chart,) = styled(drawn())
    page.write_pictures([chart], tmp_path / "deep" / "folder")
    svg = (tmp_path / "deep" / "folder" / chart.file).read_text()
    assert svg.startswith("<?xml")
    assert "#0f6cbd" in svg
    assert (tmp_path / "deep" / "folder" / "name.png").read_bytes().startswith(b"\x89PNG")
    inline = chart.inline()
    assert inline.startswith('<svg role="img" aria-label="what it shows"')
    assert "var(--series-1)" in inline
    assert "#0f6cbd" not in inline
    assert "currentColor" in inline
    assert inline == chart.inline()
